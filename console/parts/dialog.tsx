import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Toasts } from './toasts.tsx';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly footer?: ComponentChildren;
  readonly onClose: () => void;
  readonly wide?: boolean;
  /** It can't be closed without being answered. */
  readonly firm?: boolean;
  /** Something is under way, whose outcome is told here: it can't be closed before. */
  readonly busy?: boolean;
  /** Before the next key comes: whoever has opened it by a key types on. */
  readonly atOnce?: boolean;
}

/** Modal: what is behind can't be reached. The browser keeps the focus inside; it is given back afterwards. */
export function Dialog({ title, children, footer, onClose, wide = false, ...rest }: DialogProps) {
  const { firm = false, busy = false } = rest;
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const shown = useRef(true);
  // Not at once by Escape, which asks another dialog to close: the browser would count both as one.
  const useShowing = rest.atOnce ? useLayoutEffect : useEffect;
  useShowing(() => {
    const dialog = element.current;
    const before = document.activeElement;
    show(dialog);
    return () => {
      shown.current = false;
      dialog?.close();
      giveBack(dialog, before);
      requestAnimationFrame(() => giveBack(dialog, before)); // until then what is behind may still be out of reach
    };
  }, []);
  // A browser closes it after a second Escape whatever the page says to that.
  const closed = () => {
    if (!shown.current) return;
    show(element.current);
    if (!firm && !busy) onClose();
  };
  return (
    <dialog
      ref={element}
      class={`dialog${wide ? ' wide' : ''}`}
      aria-labelledby={id}
      onClose={(event) => event.target === element.current && closed()}
      onCancel={(event) => {
        event.preventDefault();
        if (!firm && !busy) onClose();
      }}
    >
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        {!firm && <Button kind="quiet" icon={X} label={texts.close} disabled={busy} onClick={onClose} />}
      </header>
      <Toasts />
      <div class="dialog-body">{children}</div>
      {footer && <footer class="dialog-foot">{footer}</footer>}
    </dialog>
  );
}

/**
 * The browser does so only for a dialog that is still there, and to what is still there: else the focus stays in the dialog, and is lost
 * with it. Whoever else has the focus by then keeps it.
 */
function giveBack(dialog: HTMLDialogElement | null, before: Element | null): void {
  const { activeElement: now, body } = document;
  if (now !== null && now !== body && !dialog?.contains(now)) return;
  // What it was opened from may have gone with what was done: then on to the screen.
  const to = before?.isConnected ? before : document.getElementById('content');
  if (to instanceof HTMLElement) to.focus({ preventScroll: true });
}

/** The browser would begin with the cross, which comes first: whoever opens a form types next. What stands above is read before. */
function show(dialog: HTMLDialogElement | null): void {
  dialog?.showModal();
  dialog
    ?.querySelector<HTMLElement>('.dialog-body :is(input, select, textarea):enabled:not([readonly])')
    ?.focus({ preventScroll: true });
}
