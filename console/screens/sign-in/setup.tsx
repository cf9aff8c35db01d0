import { admin } from '../../api.ts';
import { TextField } from '../../parts/form-field.tsx';
import { useForm } from '../../parts/use-form.ts';
import { currentPlace, navigate } from '../../router.ts';
import { beginSession } from '../../session.ts';
import { texts } from '../../texts.ts';
import { Gate } from './gate.tsx';
import { GateForm } from './gate-form.tsx';

const { setup: words, signIn } = texts;

/** The page of the one-time link. Its token is in the hash, so that it appears in no log and no referrer. */
export function SetupPage({ token }: { token: string }) {
  const invited = new URLSearchParams(currentPlace().query).get('email');
  const form = useForm({ email: invited ?? '', password: '' }, async (values) => {
    const { accessToken, administrator } = await admin.setup({ token, ...values });
    beginSession({ token: accessToken, email: administrator.email });
    navigate('/', { replace: true });
  });
  return (
    <Gate title={words.title}>
      <p class="quiet">{words.intro}</p>
      <GateForm form={form} action={words.submit}>
        <TextField
          label={signIn.email}
          type="email"
          {...form.text('email')}
          autocomplete="username"
          readonly={invited !== null}
          required
        />
        <TextField
          label={signIn.password}
          type="password"
          hint={words.passwordHint}
          {...form.text('password')}
          autocomplete="new-password"
          minLength={8}
          required
        />
      </GateForm>
    </Gate>
  );
}
