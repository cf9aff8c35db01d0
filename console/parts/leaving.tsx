import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Confirm } from './confirm.tsx';

interface Leaving {
  /** For ways to close a dialog that happen by accident: Escape and the close button. */
  readonly leave: () => void;
  readonly question: ComponentChildren;
}

/** Asks before a dialog is closed in which something was typed. */
export function useLeaving(isChanged: boolean, onClose: () => void): Leaving {
  const [asking, setAsking] = useState(false);
  return {
    leave: () => (isChanged ? setAsking(true) : onClose()),
    question: asking && (
      <Confirm
        title={texts.leaveTitle}
        action={texts.leaveAction}
        onConfirm={async () => onClose()}
        onClose={() => setAsking(false)}
      >
        <p>{texts.leaveText}</p>
      </Confirm>
    ),
  };
}
