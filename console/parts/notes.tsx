import { CircleAlert, type IconNode, Inbox } from 'lucide';
import type { ComponentChildren } from 'preact';
import { isStatus, messageOf } from '../api.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { Link } from './link.tsx';

interface ErrorNoteProps {
  readonly message: string;
  readonly onRetry?: () => void;
  /** Further actions. */
  readonly children?: ComponentChildren;
}

export function ErrorNote({ message, onRetry, children }: ErrorNoteProps) {
  return (
    <div class="note error" role="alert">
      <Icon icon={CircleAlert} />
      <p>{message}</p>
      {onRetry && <Button onClick={onRetry}>{texts.tryAgain}</Button>}
      {children}
    </div>
  );
}

/** Why something could not be loaded. After a 404 there is no retry: it is gone, usually together with its project. */
export function NotRead({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const message = messageOf(error);
  if (!isStatus(error, 404)) return <ErrorNote message={message} onRetry={onRetry} />;
  return (
    <ErrorNote message={message}>
      <Link to="/" class="button">
        {texts.nav.allProjects}
      </Link>
    </ErrorNote>
  );
}

/** An empty state; its children say what to do next. */
export function Empty({
  icon = Inbox,
  title,
  children,
}: {
  icon?: IconNode;
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Icon icon={icon} size={24} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div class="skeleton" role="status" aria-label={texts.loading}>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

export interface Asked<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  refetch(): unknown;
}

/** Renders the data of a query, or its loading or error state. `lines`: the height of the skeleton. */
export function Loaded<T>({
  query,
  lines = 4,
  children,
}: {
  query: Asked<T>;
  lines?: number;
  children: (data: T) => ComponentChildren;
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error) return <NotRead error={query.error} onRetry={() => void query.refetch()} />;
  return <Skeleton lines={lines} />;
}

export function Badge({ kind = 'plain', children }: { kind?: string; children: ComponentChildren }) {
  return <span class={`badge ${kind}`}>{children}</span>;
}
