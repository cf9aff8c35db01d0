import { useState } from 'preact/hooks';
import { admin, faultsOf, messageOf } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { currentPlace, navigate } from '../../router.ts';
import { beginSession } from '../../session.ts';
import { texts } from '../../texts.ts';
import { Gate } from './gate.tsx';

const { setup: words, signIn } = texts;

/** The page of the one-time link. Its token stands after the #, so it is in no log and no referrer. */
export function SetupPage({ token }: { token: string }) {
  const invited = new URLSearchParams(currentPlace().query).get('email');
  const [email, setEmail] = useState(invited ?? '');
  const [password, setPassword] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { accessToken, administrator } = await admin.setup({ token, email, password });
      beginSession({ token: accessToken, email: administrator.email });
      navigate('/', { replace: true });
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  const faults = faultsOf(error);
  return (
    <Gate title={words.title}>
      <p class="quiet">{words.intro}</p>
      <form class="stack" onSubmit={submit}>
        <TextField
          label={signIn.email}
          type="email"
          value={email}
          onInput={setEmail}
          autocomplete="username"
          error={faults.email}
          readonly={invited !== null}
          required
        />
        <TextField
          label={signIn.password}
          type="password"
          hint={words.passwordHint}
          value={password}
          onInput={setPassword}
          autocomplete="new-password"
          error={faults.password}
          minLength={8}
          required
        />
        {error !== undefined && Object.keys(faults).length === 0 && <ErrorNote message={messageOf(error)} />}
        <Button kind="primary" type="submit" busy={busy}>
          {words.submit}
        </Button>
      </form>
    </Gate>
  );
}
