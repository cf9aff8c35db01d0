import type { Account } from '../../../client/admin.ts';
import { admin, messageOf } from '../../api.ts';
import { sameValue, type Values } from '../../model/fields.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { SelectField, TextField } from '../../parts/form-field.tsx';
import { toast } from '../../parts/toasts.tsx';
import { useForm } from '../../parts/use-form.ts';
import { refresh } from '../../queries.ts';
import { texts } from '../../texts.ts';
import { ProfileControls, placesWith, useProfileFields } from './profile-controls.tsx';
import { makeResetLink, type ResetLink } from './reset-link.tsx';

const { users: words } = texts.people;

interface UserValues {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  readonly profile: Values;
}

interface NewUserValues extends UserValues {
  readonly way: 'link' | 'password';
}

interface CreateProps {
  readonly project: string;
  readonly onLink: (link: ResetLink) => void;
  readonly onClose: () => void;
}

/** By default the new user sets their own password, with a link that the administrator passes on. */
export function CreateUser({ project, onLink, onClose }: CreateProps) {
  const fields = useProfileFields(project);
  const create = async ({ email, name, way, password, profile }: NewUserValues) => {
    const { users } = admin.project(project);
    const made = await users.create({
      ...{ email, password: way === 'link' ? randomPassword() : password },
      ...(name !== '' && { name }),
      ...(Object.keys(profile).length > 0 && { profile }),
    });
    void refresh('project', project, 'users');
    if (way === 'password') return toast({ text: words.made(email) });
    // The account is there in any case: sending the form again would only find the address taken.
    await makeResetLink(project, made).then(onLink, (error) =>
      toast({ kind: 'bad', text: words.noLink(email, messageOf(error)) }),
    );
  };
  const start: NewUserValues = { email: '', name: '', way: 'link', password: '', profile: {} };
  const form = useForm(start, create, onClose, placesWith(fields));
  return (
    <FormDialog title={words.create} action={texts.create} form={form} onClose={onClose}>
      <TextField label={words.email} type="email" {...form.text('email')} required />
      <TextField label={words.name} {...form.text('name')} />
      <SelectField
        label={words.way}
        {...form.choice('way')}
        options={[
          ['link', words.ways.link],
          ['password', words.ways.password],
        ]}
      />
      {form.values.way === 'password' && (
        <TextField
          label={words.password}
          type="password"
          autocomplete="new-password"
          hint={words.passwordHint}
          {...form.text('password')}
          required
        />
      )}
      <ProfileControls {...{ project, fields, form }} />
    </FormDialog>
  );
}

/** A placeholder that nobody knows, until the link is used. */
const randomPassword = () => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));

interface EditProps {
  readonly project: string;
  readonly user: Account;
  readonly onClose: () => void;
}

/** Sends only what was changed, so that it does not overwrite what the user changes meanwhile. */
export function EditUser({ project, user, onClose }: EditProps) {
  const fields = useProfileFields(project);
  const { profile: stored = {} } = user;
  const save = async ({ email, name, password, profile }: UserValues) => {
    const changed = Object.entries(profile).filter(([field, value]) => !sameValue(value, stored[field]));
    await admin.project(project).users.update(user._id, {
      ...(email !== user.email && { email }),
      ...(name !== user.name && { name }),
      ...(password !== '' && { password }),
      ...(changed.length > 0 && { profile: Object.fromEntries(changed) }),
    });
    toast({ text: words.saved(email) });
    void refresh('project', project, 'users');
  };
  const { email, name } = user;
  const start: UserValues = { email, name, password: '', profile: stored };
  const form = useForm(start, save, onClose, placesWith(fields));
  return (
    <FormDialog title={words.editTitle(email)} form={form} onClose={onClose}>
      <TextField label={words.email} type="email" hint={words.emailHint} {...form.text('email')} required />
      <TextField label={words.name} {...form.text('name')} />
      <TextField
        label={words.newPassword}
        type="password"
        autocomplete="new-password"
        hint={words.keepPassword}
        {...form.text('password')}
      />
      <ProfileControls {...{ project, fields, form }} />
    </FormDialog>
  );
}
