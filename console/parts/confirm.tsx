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
  /** The text to type before the button is enabled. */
  readonly typed?: string;
  /** The project that is affected: if it is marked as production and `typed` is not given, its id must be typed. */
  readonly project?: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** Says what will be lost, and asks for confirmation. */
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
    // Stays open while busy: an error would be shown nowhere else.
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
