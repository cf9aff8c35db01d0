import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { messageOf } from '../api.ts';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { useLeaving } from './leaving.tsx';
import { ErrorNote } from './notes.tsx';
import { useFirstFault } from './use-first-fault.ts';
import type { Form } from './use-form.ts';

interface FormDialogProps {
  readonly title: string;
  readonly action?: string;
  readonly form: Pick<Form<object>, 'busy' | 'error' | 'isElsewhere' | 'isChanged' | 'run'>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A few fields, sent together. Errors are shown at their fields, the first of which gets the focus; other errors below. */
export function FormDialog({ title, action = texts.save, form, onClose, children }: FormDialogProps) {
  const id = useId();
  const { busy, error, isElsewhere } = form;
  const element = useFirstFault(error);
  const { leave, question } = useLeaving(form.isChanged, onClose);
  const footer = (
    <>
      <Button disabled={busy} onClick={onClose}>
        {texts.cancel}
      </Button>
      <Button kind="primary" type="submit" form={id} busy={busy}>
        {action}
      </Button>
    </>
  );
  return (
    // Stays open while busy: an error would be shown nowhere else.
    <Dialog title={title} onClose={leave} footer={footer} busy={busy}>
      <form id={id} ref={element} class="stack" onSubmit={(event) => void form.run(event)}>
        {children}
        {isElsewhere && <ErrorNote message={messageOf(error)} />}
      </form>
      {question}
    </Dialog>
  );
}
