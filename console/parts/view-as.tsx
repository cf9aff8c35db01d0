import { useState } from 'preact/hooks';
import { createClient } from '../../client/client.ts';
import { admin } from '../api.ts';
import { serverBase } from '../router.ts';
import { texts } from '../texts.ts';
import { type Viewer, viewAs } from '../viewer.ts';
import { FormDialog } from './form-dialog.tsx';
import { SelectField, TextField } from './form-field.tsx';

const { viewAs: words } = texts;
type Way = 'nobody' | 'user' | 'token';
const minuteChoices = ['5', '15', '30', '60'] as const;

interface ViewAsProps {
  readonly project: string;
  /** The address of the user, where it is known who it will be. */
  readonly user?: string;
  readonly onClose: () => void;
  readonly onBegun?: () => void;
}

/** Chooses in whose place the records are seen: what they may not see is not there, in lists, forms and exports alike. */
export function ViewAs({ project, user, onClose, onBegun }: ViewAsProps) {
  const [way, setWay] = useState<Way>(user === undefined ? 'nobody' : 'user');
  const [email, setEmail] = useState(user ?? '');
  const [reason, setReason] = useState('');
  const [minutes, setMinutes] = useState<(typeof minuteChoices)[number]>('15');
  const [token, setToken] = useState('');
  const chosen = async (): Promise<Viewer> => {
    switch (way) {
      case 'nobody':
        return { kind: 'nobody', project };
      case 'user':
        return impersonate(project, email.trim(), { minutes: Number(minutes), reason });
      case 'token':
        return tryToken(project, token.trim());
    }
  };
  const submit = async () => {
    viewAs(await chosen());
    onBegun?.();
  };
  return (
    <FormDialog
      title={words.title}
      action={words.begin}
      fields={['reason', 'minutes']}
      onSubmit={submit}
      onClose={onClose}
    >
      {(faults) => (
        <>
          <p class="quiet">{words.intro}</p>
          {user === undefined && (
            <SelectField
              label={words.who}
              value={way}
              onChange={setWay}
              options={[
                ['nobody', words.nobody],
                ['user', words.user],
                ['token', words.token],
              ]}
            />
          )}
          {way === 'user' && (
            <>
              <TextField
                label={words.email}
                type="email"
                value={email}
                onInput={setEmail}
                readonly={user !== undefined}
                required
              />
              <TextField
                label={words.reason}
                hint={words.reasonHint}
                value={reason}
                onInput={setReason}
                error={faults.reason}
                required
              />
              <SelectField
                label={words.minutes}
                value={minutes}
                onChange={setMinutes}
                options={minuteChoices.map((one) => [one, words.forMinutes(one)])}
                error={faults.minutes}
              />
            </>
          )}
          {way === 'token' && (
            <TextField label={words.tokenLabel} type="password" value={token} onInput={setToken} required />
          )}
        </>
      )}
    </FormDialog>
  );
}

async function impersonate(
  project: string,
  email: string,
  how: { minutes: number; reason: string },
): Promise<Viewer> {
  const { users } = admin.project(project);
  const user = (await users.list({ email })).found[0];
  if (!user) throw new Error(words.noUser(email));
  const { accessToken } = await users.impersonate(user._id, how);
  return { kind: 'token', project, token: accessToken, name: user.email };
}

/** A token that is not good is refused here, not at the first list. */
async function tryToken(project: string, token: string): Promise<Viewer> {
  if (token.startsWith('vk_')) return { kind: 'token', project, token, name: words.aKey };
  const { email } = await createClient(serverBase, { project, token }).auth.me();
  return { kind: 'token', project, token, name: email };
}
