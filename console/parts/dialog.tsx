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
  /** It has to be answered before it can be closed. */
  readonly firm?: boolean;
  /** Something is under way whose outcome is shown here: it can't be closed before that. */
  readonly busy?: boolean;
  /** Shown before the next key is handled: whoever opened it by a key goes on typing. */
  readonly atOnce?: boolean;
}

/** Modal: what is behind it can't be reached. The browser keeps the focus inside; it is given back afterwards. */
export function Dialog({ title, children, footer, onClose, wide = false, ...rest }: DialogProps) {
  const { firm = false, busy = false } = rest;
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const shown = useRef(true);
  // Not at once if Escape has just closed another dialog: the browser would take both for one.
  const useShowing = rest.atOnce ? useLayoutEffect : useEffect;
  useShowing(() => {
    const dialog = element.current;
    const before = document.activeElement;
    show(dialog);
    return () => {
      shown.current = false;
      dialog?.close();
      giveBack(dialog, before);
      requestAnimationFrame(() => giveBack(dialog, before)); // until then, what is behind may still be out of reach
    };
  }, []);
  // After a second Escape a browser closes it, even if the page objects.
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
 * The browser gives the focus back only if both the dialog and the element before still exist. Otherwise the focus would be
 * lost with the dialog. An element that has taken the focus meanwhile keeps it.
 */
function giveBack(dialog: HTMLDialogElement | null, before: Element | null): void {
  const { activeElement: now, body } = document;
  if (now !== null && now !== body && !dialog?.contains(now)) return;
  // The element that opened it may be gone by now: then the screen gets the focus.
  const to = before?.isConnected ? before : document.getElementById('content');
  if (to instanceof HTMLElement) to.focus({ preventScroll: true });
}

/**
 * The browser would focus the close button, which comes first; but whoever opens a form wants to type next. A screen reader
 * reads the text above first.
 */
function show(dialog: HTMLDialogElement | null): void {
  dialog?.showModal();
  dialog
    ?.querySelector<HTMLElement>('.dialog-body :is(input, select, textarea):enabled:not([readonly])')
    ?.focus({ preventScroll: true });
}
