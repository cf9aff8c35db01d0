import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Confirm } from './confirm.tsx';

interface Leaving {
  /** For what closes by a slip of the hand: Escape, and the cross in the corner. */
  readonly leave: () => void;
  readonly question: ComponentChildren;
}

/** What was typed into a dialog is lost with it: asks before. */
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
