import { X } from 'lucide';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';

export interface Toast {
  readonly text: string;
  readonly kind?: 'good' | 'bad';
  readonly action?: { readonly label: string; readonly run: () => void };
  /** Milliseconds that it stays; those with an action stay longer. */
  readonly time?: number;
  /** Shows how much of the time is left. */
  readonly countdown?: boolean;
}

interface Shown extends Toast {
  readonly id: number;
}

let shown: readonly Shown[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function become(next: readonly Shown[]): void {
  shown = next;
  for (const listener of [...listeners]) listener();
}

/** Tells something that has happened. What it gives takes it away again. */
export function toast(content: Toast): () => void {
  lastId += 1;
  const id = lastId;
  const remove = () => become(shown.filter((one) => one.id !== id));
  become([...shown.slice(-3), { ...content, id }]);
  setTimeout(remove, content.time ?? (content.action || content.kind === 'bad' ? 10_000 : 4_000));
  return remove;
}

export function Toasts() {
  const [list, setList] = useState(shown);
  useEffect(() => {
    const listener = () => setList(shown);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  const box = useRef<HTMLDivElement>(null);
  // Above whatever dialog is open: what was shown last lies on top.
  useLayoutEffect(() => {
    if (document.querySelector('dialog[open]') && box.current?.matches(':popover-open'))
      box.current.hidePopover();
    if (!box.current?.matches(':popover-open')) box.current?.showPopover();
  }, [list]);
  return (
    <div ref={box} class="toasts" popover="manual" role="status" aria-live="polite">
      {list.map(({ id, text, kind, action, countdown, time = 10_000 }) => (
        <div key={id} class={`toast ${kind ?? ''}`}>
          <span>{text}</span>
          {action && (
            <Button
              kind="quiet"
              onClick={() => {
                become(shown.filter((one) => one.id !== id));
                action.run();
              }}
            >
              {action.label}
            </Button>
          )}
          <Button
            kind="quiet"
            icon={X}
            label={texts.close}
            onClick={() => become(shown.filter((one) => one.id !== id))}
          />
          {countdown && <i class="countdown" style={{ animationDuration: `${time}ms` }} />}
        </div>
      ))}
    </div>
  );
}
