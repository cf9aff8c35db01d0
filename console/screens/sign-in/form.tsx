import { useState } from 'preact/hooks';
import type { AdministratorSignIn } from '../../../client/admin.ts';
import { admin, adminWith, isStatus } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { useForm } from '../../parts/use-form.ts';
import { beginSession } from '../../session.ts';
import { texts } from '../../texts.ts';
import { GateForm } from './gate-form.tsx';

const { signIn: words } = texts;

/** Sign-in by password, with a second factor if the account has one, or with the server's administrator key. */
export function SignInForm({ email: known }: { email: string }) {
  const [byKey, setByKey] = useState(false);
  const [email, setEmail] = useState(known);
  const [factorToken, setFactorToken] = useState<string>();
  if (factorToken !== undefined) return <CodeForm factorToken={factorToken} />;
  if (byKey) return <KeyForm onPassword={() => setByKey(false)} />;
  return (
    <PasswordForm
      email={email}
      onFactor={setFactorToken}
      onKey={(typed) => {
        setEmail(typed);
        setByKey(true);
      }}
    />
  );
}

interface PasswordFormProps {
  readonly email: string;
  readonly onFactor: (token: string) => void;
  /** Called with the email typed so far. */
  readonly onKey: (email: string) => void;
}

function PasswordForm({ email, onFactor, onKey }: PasswordFormProps) {
  const form = useForm({ email, password: '' }, async (values) => {
    const answer = await admin.login(values);
    if ('factorToken' in answer) onFactor(answer.factorToken);
    else begin(answer);
  });
  const useKey = (
    <Button kind="quiet" onClick={() => onKey(form.values.email)}>
      {words.useKey}
    </Button>
  );
  return (
    <GateForm form={form} action={words.submit} otherwise={useKey}>
      <TextField label={words.email} type="email" {...form.text('email')} autocomplete="username" required />
      <TextField
        label={words.password}
        type="password"
        {...form.text('password')}
        autocomplete="current-password"
        required
      />
    </GateForm>
  );
}

function CodeForm({ factorToken }: { factorToken: string }) {
  const form = useForm({ code: '' }, async ({ code }) => begin(await admin.factor({ factorToken, code })));
  return (
    <GateForm form={form} action={words.confirmCode}>
      <TextField label={words.code} {...form.text('code')} autocomplete="one-time-code" required />
    </GateForm>
  );
}

function KeyForm({ onPassword }: { onPassword: () => void }) {
  const form = useForm({ key: '' }, async ({ key }) => {
    try {
      await adminWith(key).me();
      beginSession({ token: key, email: null });
    } catch (caught) {
      throw isStatus(caught, 401) ? new Error(words.wrongKey) : caught;
    }
  });
  const usePassword = (
    <Button kind="quiet" onClick={onPassword}>
      {words.usePassword}
    </Button>
  );
  return (
    <GateForm form={form} action={words.submit} otherwise={usePassword}>
      <TextField label={words.key} hint={words.keyHint} type="password" {...form.text('key')} required />
    </GateForm>
  );
}

const begin = ({ accessToken, administrator }: AdministratorSignIn) =>
  beginSession({ token: accessToken, email: administrator.email });
