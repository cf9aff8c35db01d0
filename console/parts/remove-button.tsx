import { Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Confirm } from './confirm.tsx';

interface RemoveButtonProps {
  readonly label: string;
  readonly title: string;
  readonly text: string;
  /** Where it is not deleted but only leaves. */
  readonly action?: string;
  /** Where it is deleted: see `Confirm`. */
  readonly project?: string;
  readonly onRemove: () => Promise<void>;
}

/** Where all that can be done with a row is to delete it: asks before. */
export function RemoveButton({
  label,
  title,
  text,
  onRemove,
  action = texts.remove,
  ...where
}: RemoveButtonProps) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button kind="quiet" icon={Trash2} label={label} onClick={() => setAsking(true)} />
      {asking && (
        <Confirm
          {...where}
          title={title}
          action={action}
          onConfirm={onRemove}
          onClose={() => setAsking(false)}
        >
          <p>{text}</p>
        </Confirm>
      )}
    </>
  );
}
