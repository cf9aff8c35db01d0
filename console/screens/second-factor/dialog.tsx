import { useEffect, useState } from 'preact/hooks';
import { admin, isStatus, messageOf } from '../../api.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote, Skeleton } from '../../parts/notes.tsx';
import { texts } from '../../texts.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { SetUp } from './set-up.tsx';
import { TurnOff } from './turn-off.tsx';

const { secondFactor: words } = texts;

type State =
  | { readonly kind: 'asking' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'off'; readonly secret: string; readonly uri: string }
  | { readonly kind: 'made'; readonly codes: readonly string[] }
  | { readonly kind: 'on' };

/** The administrator's own second factor: set up with an app, or turned off again. */
export function SecondFactorDialog({ onClose }: { onClose: () => void }) {
  const [state, setState] = useState<State>({ kind: 'asking' });
  useEffect(() => {
    admin.totp.start().then(
      (begun) => setState({ kind: 'off', ...begun }),
      // 409: it is already on.
      (error: unknown) =>
        setState(isStatus(error, 409) ? { kind: 'on' } : { kind: 'failed', message: messageOf(error) }),
    );
  }, []);
  switch (state.kind) {
    case 'off':
      return <SetUp {...state} onMade={(codes) => setState({ kind: 'made', codes })} onClose={onClose} />;
    case 'made':
      return <RecoveryCodes codes={state.codes} onClose={onClose} />;
    case 'on':
      return <TurnOff onClose={onClose} />;
    case 'asking':
    case 'failed':
      return (
        <Dialog title={words.title} onClose={onClose}>
          {state.kind === 'failed' ? <ErrorNote message={state.message} /> : <Skeleton lines={6} />}
        </Dialog>
      );
  }
}
