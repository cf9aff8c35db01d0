import { createClient } from '../../client/client.ts';
import { admin } from '../api.ts';
import { serverBase } from '../router.ts';
import { texts } from '../texts.ts';
import { type Viewer, viewAs } from '../viewer.ts';
import { FormDialog } from './form-dialog.tsx';
import { SelectField, TextField } from './form-field.tsx';
import { useForm } from './use-form.ts';

const { viewAs: words } = texts;
const minuteChoices = ['5', '15', '30', '60'] as const;

interface Choice {
  readonly way: 'nobody' | 'user' | 'token';
  readonly email: string;
  /** The id of their current workspace; if empty, their first. */
  readonly workspace: string;
  readonly reason: string;
  readonly minutes: (typeof minuteChoices)[number];
  readonly token: string;
}

const start: Choice = { way: 'nobody', email: '', workspace: '', reason: '', minutes: '15', token: '' };

interface ViewAsProps {
  readonly project: string;
  /** The email of the user, if it is fixed. */
  readonly user?: string;
  readonly onClose: () => void;
  readonly onBegun?: () => void;
}

/** Chooses as whom to see the records: what they may not see is missing from lists, forms and exports alike. */
export function ViewAs({ project, user, onClose, onBegun }: ViewAsProps) {
  const form = useForm(
    { ...start, way: user === undefined ? start.way : 'user', email: user ?? '' },
    async (values) => {
      viewAs(await chosen(project, values));
      onBegun?.();
    },
    onClose,
  );
  const { way } = form.values;
  return (
    // Closes without a question: these values are quickly typed again.
    <FormDialog
      title={words.title}
      action={words.begin}
      form={{ ...form, isChanged: false }}
      onClose={onClose}
    >
      <p class="quiet">{words.intro}</p>
      {user === undefined && (
        <SelectField
          label={words.who}
          {...form.choice('way')}
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
            {...form.text('email')}
            readonly={user !== undefined}
            required
          />
          <TextField label={words.workspace} hint={words.workspaceHint} {...form.text('workspace')} />
          <TextField label={words.reason} hint={words.reasonHint} {...form.text('reason')} required />
          <SelectField
            label={words.minutes}
            {...form.choice('minutes')}
            options={minuteChoices.map((one) => [one, words.forMinutes(one)])}
          />
        </>
      )}
      {way === 'token' && (
        <TextField label={words.tokenLabel} type="password" {...form.text('token')} required />
      )}
    </FormDialog>
  );
}

async function chosen(project: string, choice: Choice): Promise<Viewer> {
  const { way, email, minutes, reason, token } = choice;
  const workspace = choice.workspace.trim();
  switch (way) {
    case 'nobody':
      return { kind: 'nobody', project };
    case 'user':
      return impersonate(project, email.trim(), {
        ...{ minutes: Number(minutes), reason },
        ...(workspace !== '' && { workspace }),
      });
    case 'token':
      return tryToken(project, token.trim());
  }
}

async function impersonate(
  project: string,
  email: string,
  how: { minutes: number; reason: string; workspace?: string },
): Promise<Viewer> {
  const { users } = admin.project(project);
  const user = (await users.list({ email })).found[0];
  if (!user) throw new Error(words.noUser(email));
  const { accessToken } = await users.impersonate(user._id, how);
  return { kind: 'token', project, token: accessToken, name: user.email };
}

/** Checks the token, so that an invalid one is refused in the dialog and not by the first list. */
async function tryToken(project: string, token: string): Promise<Viewer> {
  if (token.startsWith('vk_')) return { kind: 'token', project, token, name: words.aKey };
  const { email } = await createClient(serverBase, { project, token }).auth.me();
  return { kind: 'token', project, token, name: email };
}
