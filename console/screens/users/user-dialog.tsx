import { useState } from 'preact/hooks';
import type { Account } from '../../../client/admin.ts';
import { admin } from '../../api.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { toast } from '../../parts/toasts.tsx';
import { refresh } from '../../queries.ts';
import { texts } from '../../texts.ts';

const { users: words } = texts.people;
const fields = ['email', 'name', 'password'];

export function CreateUser({ project, onClose }: { project: string; onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const submit = async () => {
    await admin.project(project).users.create({ email, password, ...(name !== '' && { name }) });
    toast({ text: words.made(email) });
    await refresh('project', project, 'users');
  };
  return (
    <FormDialog
      title={words.create}
      action={texts.create}
      fields={fields}
      onSubmit={submit}
      onClose={onClose}
    >
      {(faults) => (
        <>
          <TextField
            label={words.email}
            type="email"
            value={email}
            onInput={setEmail}
            error={faults.email}
            required
          />
          <TextField label={words.name} value={name} onInput={setName} error={faults.name} />
          <TextField
            label={words.password}
            type="password"
            autocomplete="new-password"
            hint={words.passwordHint}
            value={password}
            onInput={setPassword}
            error={faults.password}
            required
          />
        </>
      )}
    </FormDialog>
  );
}

export function EditUser({
  project,
  user,
  onClose,
}: {
  project: string;
  user: Account;
  onClose: () => void;
}) {
  const [name, setName] = useState(user.name);
  const [password, setPassword] = useState('');
  const submit = async () => {
    await admin.project(project).users.update(user._id, {
      ...(name !== user.name && { name }),
      ...(password !== '' && { password }),
    });
    toast({ text: words.saved(user.email) });
    await refresh('project', project, 'users');
  };
  return (
    <FormDialog title={words.editTitle(user.email)} fields={fields} onSubmit={submit} onClose={onClose}>
      {(faults) => (
        <>
          <TextField label={words.name} value={name} onInput={setName} error={faults.name} />
          <TextField
            label={words.newPassword}
            type="password"
            autocomplete="new-password"
            hint={words.keepPassword}
            value={password}
            onInput={setPassword}
            error={faults.password}
          />
        </>
      )}
    </FormDialog>
  );
}
