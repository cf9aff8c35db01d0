import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { faultsOf, messageOf } from '../api.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNote } from './notes.tsx';

interface FormDialogProps {
  readonly title: string;
  readonly action?: string;
  readonly onSubmit: () => Promise<void>;
  readonly onClose: () => void;
  /** Gets what the server says is wrong, by field. */
  readonly children: (faults: Readonly<Record<string, string>>) => ComponentChildren;
  /** The names of the fields that show their faults; what is wrong elsewhere stands below. */
  readonly fields: readonly string[];
}

/** A few fields, sent together. It closes when that is done, and otherwise says what is wrong, each at its field. */
export function FormDialog(props: FormDialogProps) {
  const { title, action = texts.save, onSubmit, onClose, children, fields } = props;
  const form = useId();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const faults = faultsOf(error);
  const shown = Object.keys(faults).some((field) => fields.includes(field));
  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await onSubmit();
      onClose();
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  const footer = (
    <>
      <Button onClick={onClose}>{texts.cancel}</Button>
      <Button kind="primary" type="submit" form={form} busy={busy}>
        {action}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={onClose} footer={footer}>
      <form id={form} class="stack" onSubmit={submit}>
        {children(faults)}
        {error !== undefined && !shown && <ErrorNote message={messageOf(error)} />}
      </form>
    </Dialog>
  );
}
