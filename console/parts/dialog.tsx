import { X } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly footer?: ComponentChildren;
  readonly onClose: () => void;
  readonly wide?: boolean;
  /** It can't be closed without being answered. */
  readonly firm?: boolean;
}

/** Modal: what is behind can't be reached. The browser keeps the focus inside and gives it back afterwards. */
export function Dialog({ title, children, footer, onClose, wide = false, firm = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const shown = useRef(true);
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      shown.current = false;
      dialog?.close();
    };
  }, []);
  // A browser closes it after a second Escape whatever the page says to that.
  const closed = () => {
    if (!shown.current) return;
    if (firm) element.current?.showModal();
    else onClose();
  };
  return (
    <dialog
      ref={element}
      class={`dialog${wide ? ' wide' : ''}`}
      aria-labelledby={id}
      onClose={(event) => event.target === element.current && closed()}
      onCancel={(event) => {
        event.preventDefault();
        if (!firm) onClose();
      }}
    >
      <header class="dialog-head">
        <h2 id={id}>{title}</h2>
        {!firm && <Button kind="quiet" icon={X} label={texts.close} onClick={onClose} />}
      </header>
      <div class="dialog-body">{children}</div>
      {footer && <footer class="dialog-foot">{footer}</footer>}
    </dialog>
  );
}
