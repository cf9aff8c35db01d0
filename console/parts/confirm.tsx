import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { messageOf } from '../api.ts';
import { isProduction } from '../production.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './form-field.tsx';
import { ErrorNote } from './notes.tsx';
import { useDeed } from './use-deed.ts';

interface ConfirmProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly action: string;
  /** Must be typed before it can be done. */
  readonly typed?: string;
  /** Where it happens: in production the id of that must be typed by all means. */
  readonly project?: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** Says what will be lost, and does it when it was understood. */
export function Confirm({ title, children, action, onConfirm, onClose, ...rest }: ConfirmProps) {
  const { project, typed = project !== undefined && isProduction(project) ? project : undefined } = rest;
  const [text, setText] = useState('');
  const { busy, error, run } = useDeed(onConfirm, onClose);
  const ready = typed === undefined || text === typed;
  const footer = (
    <>
      <Button disabled={busy} onClick={onClose}>
        {texts.cancel}
      </Button>
      <Button kind="danger" type="submit" form="confirm" disabled={!ready} busy={busy}>
        {action}
      </Button>
    </>
  );
  return (
    // While it is under way it stays: nobody else would say that it was refused.
    <Dialog title={title} onClose={onClose} footer={footer} busy={busy}>
      <form
        id="confirm"
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) void run();
        }}
      >
        <div>{children}</div>
        {typed !== undefined && (
          <TextField label={texts.typeToConfirm(typed)} value={text} onInput={setText} />
        )}
        {error !== undefined && <ErrorNote message={messageOf(error)} />}
      </form>
    </Dialog>
  );
}
