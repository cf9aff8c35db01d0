import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf } from '../api.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './form-field.tsx';
import { ErrorNote } from './notes.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action: string;
  /** Must be typed before it can be done. */
  readonly typed?: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** Says what will be lost, and does it when it was understood. */
export function Confirm({ title, children, action, typed, onConfirm, onClose }: ConfirmProps) {
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const ready = typed === undefined || text === typed;
  const run = async (event: Event) => {
    event.preventDefault();
    if (!ready || busy) return;
    setBusy(true);
    try {
      await onConfirm();
      onClose();
    } catch (caught) {
      setError(messageOf(caught));
      setBusy(false);
    }
  };
  const footer = (
    <>
      <Button onClick={onClose}>{texts.cancel}</Button>
      <Button kind="danger" type="submit" form="confirm" disabled={!ready} busy={busy}>
        {action}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} footer={footer}>
      <form id="confirm" class="stack" onSubmit={run}>
        <div>{children}</div>
        {typed !== undefined && (
          <TextField label={texts.typeToConfirm(typed)} value={text} onInput={setText} />
        )}
        {error !== undefined && <ErrorNote message={error} />}
      </form>
    </Dialog>
  );
}
