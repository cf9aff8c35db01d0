import { X } from 'lucide';
import { useLayoutEffect, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';

export interface Toast {
  readonly text: string;
  readonly kind?: 'good' | 'bad';
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Milliseconds that it stays; by default longer if it has an action or is an error. */
  readonly time?: number;
  /** Shows how much of the time is left. */
  readonly countdown?: boolean;
}

interface Shown extends Toast {
  readonly id: number;
  readonly since: number;
}

let shown: readonly Shown[] = [];
let lastId = 0;
const listeners = new Set<() => void>();
/** Where toasts can be shown, the topmost last: outside of a modal dialog nothing can be clicked or read aloud. */
const places: object[] = [];
/** The pointer or the focus is on a toast: those whose time is over stay until it leaves. */
let isHeld = false;
const over = new Set<number>();

function become(next: readonly Shown[]): void {
  shown = next;
  if (next.length === 0) isHeld = false; // a removed element sends no event that the pointer has left
  tell();
}

function tell(): void {
  for (const listener of [...listeners]) listener();
}

const remove = (id: number) => become(shown.filter((one) => one.id !== id));

function release(): void {
  isHeld = false;
  if (over.size > 0) become(shown.filter(({ id }) => !over.has(id)));
  over.clear();
}

/** Shows a message. Returns a function that removes it. */
export function toast(content: Toast): () => void {
  lastId += 1;
  const id = lastId;
  become([...shown.slice(-3), { ...content, id, since: Date.now() }]);
  setTimeout(
    () => (isHeld ? over.add(id) : remove(id)),
    content.time ?? (content.action || content.kind === 'bad' ? 10_000 : 4_000),
  );
  return () => remove(id);
}

/** In the page and in each dialog; only the topmost shows the toasts. */
export function Toasts() {
  const [place] = useState({});
  const [, render] = useState({});
  useLayoutEffect(() => {
    const listener = () => render({});
    listeners.add(listener);
    places.push(place);
    tell();
    return () => {
      listeners.delete(listener);
      places.splice(places.indexOf(place), 1);
      release();
      tell();
    };
  }, []);
  const hold = () => {
    isHeld = true;
  };
  return (
    <div
      class="toasts"
      role="status"
      aria-live="polite"
      onPointerEnter={hold}
      onPointerLeave={release}
      onFocusIn={hold}
      onFocusOut={release}
    >
      {places.at(-1) === place && shown.map((one) => <ShownToast key={one.id} {...one} />)}
    </div>
  );
}

function ShownToast({ id, text, kind, action, countdown, time = 10_000, since }: Shown) {
  // A toast that moved along from another place has used up some of its time.
  const [gone] = useState(() => Date.now() - since);
  return (
    <div class={`toast ${kind ?? ''}`}>
      <span>{text}</span>
      {action && (
        <Button
          kind="quiet"
          onClick={() => {
            remove(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <Button kind="quiet" icon={X} label={texts.close} onClick={() => remove(id)} />
      {countdown && (
        <i class="countdown" style={{ animationDuration: `${time}ms`, animationDelay: `-${gone}ms` }} />
      )}
    </div>
  );
}
