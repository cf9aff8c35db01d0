import { Button } from './button.tsx';
import { CopyButton } from './copy.tsx';
import { Dialog } from './dialog.tsx';
import { FormField } from './form-field.tsx';

interface ShownOnceProps {
  readonly title: string;
  readonly text: string;
  readonly label: string;
  readonly secret: string;
  readonly done: string;
  readonly onClose: () => void;
}

/** Shows a secret that can't be read again: the dialog stays until its button is clicked. */
export function ShownOnce({ title, text, label, secret, done, onClose }: ShownOnceProps) {
  const footer = (
    <Button kind="primary" onClick={onClose}>
      {done}
    </Button>
  );
  return (
    <Dialog title={title} onClose={onClose} footer={footer} firm>
      <p>{text}</p>
      <FormField label={label} aside={<CopyButton text={secret} />}>
        {(ids) => (
          <input
            {...ids}
            class="input mono"
            readOnly
            value={secret}
            onFocus={(event) => event.currentTarget.select()}
          />
        )}
      </FormField>
    </Dialog>
  );
}
