import { useState } from 'preact/hooks';
import type { AdministratorSignIn } from '../../../client/admin.ts';
import { admin, adminWith, faultsOf, isStatus, messageOf } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { beginSession } from '../../session.ts';
import { texts } from '../../texts.ts';

const { signIn: words } = texts;

/** By password, with a second factor where the account has one, or by the key the server was started with. */
export function SignInForm({ email: known }: { email: string }) {
  const [way, setWay] = useState<'password' | 'key'>('password');
  const [factorToken, setFactorToken] = useState<string>();
  const [email, setEmail] = useState(known);
  const [secret, setSecret] = useState('');
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  const finish = (answer: AdministratorSignIn | { readonly factorToken: string }) => {
    if ('factorToken' in answer) return setFactorToken(answer.factorToken);
    beginSession({ token: answer.accessToken, email: answer.administrator.email });
  };
  const useKey = async () => {
    try {
      await adminWith(secret).me();
      beginSession({ token: secret, email: null });
    } catch (caught) {
      throw isStatus(caught, 401) ? new Error(words.wrongKey) : caught;
    }
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      if (way === 'key') await useKey();
      else if (factorToken !== undefined) finish(await admin.factor({ factorToken, code }));
      else finish(await admin.login({ email, password: secret }));
    } catch (caught) {
      setError(caught);
    }
    setBusy(false);
  };
  const faults = faultsOf(error);
  const atField = faults.email !== undefined || faults.password !== undefined;
  if (factorToken !== undefined) {
    return (
      <form class="stack" onSubmit={submit}>
        <TextField label={words.code} value={code} onInput={setCode} autocomplete="one-time-code" required />
        {error !== undefined && <ErrorNote message={messageOf(error)} />}
        <Button kind="primary" type="submit" busy={busy}>
          {words.confirmCode}
        </Button>
      </form>
    );
  }
  return (
    <form class="stack" onSubmit={submit}>
      {way === 'password' ? (
        <>
          <TextField
            label={words.email}
            type="email"
            value={email}
            onInput={setEmail}
            autocomplete="username"
            error={faults.email}
            required
          />
          <TextField
            label={words.password}
            type="password"
            value={secret}
            onInput={setSecret}
            autocomplete="current-password"
            error={faults.password}
            required
          />
        </>
      ) : (
        <TextField
          label={words.key}
          hint={words.keyHint}
          type="password"
          value={secret}
          onInput={setSecret}
          required
        />
      )}
      {error !== undefined && !atField && <ErrorNote message={messageOf(error)} />}
      <Button kind="primary" type="submit" busy={busy}>
        {words.submit}
      </Button>
      <Button
        kind="quiet"
        onClick={() => {
          setSecret('');
          setError(undefined);
          setWay(way === 'key' ? 'password' : 'key');
        }}
      >
        {way === 'key' ? words.usePassword : words.useKey}
      </Button>
    </form>
  );
}
