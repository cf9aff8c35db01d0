import { Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Confirm } from './confirm.tsx';

interface RemoveButtonProps {
  readonly label: string;
  readonly title: string;
  readonly text: string;
  /** The text of the button that confirms, if not 'Delete'. */
  readonly action?: string;
  /** See `Confirm`. */
  readonly project?: string;
  readonly onRemove: () => Promise<void>;
}

/** For rows whose only action is to be deleted; asks for confirmation. */
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
