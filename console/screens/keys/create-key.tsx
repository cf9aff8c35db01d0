import { useState } from 'preact/hooks';
import { admin } from '../../api.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { SelectField, TextField } from '../../parts/form-field.tsx';
import { refresh } from '../../queries.ts';
import { texts } from '../../texts.ts';

const { keys: words } = texts.people;

interface CreateProps {
  readonly project: string;
  readonly onMade: (key: string) => void;
  readonly onClose: () => void;
}

type Days = keyof typeof words.ends;

const dayLength = 24 * 60 * 60_000;

export function CreateKey({ project, onMade, onClose }: CreateProps) {
  const [name, setName] = useState('');
  const [access, setAccess] = useState<'read' | 'write'>('write');
  const [days, setDays] = useState<Days>('never');
  const submit = async () => {
    const end = days === 'never' ? undefined : new Date(Date.now() + Number(days) * dayLength).toISOString();
    const { key } = await admin
      .project(project)
      .keys.create({ name, access, ...(end !== undefined && { expiresAt: end }) });
    onMade(key);
    await refresh('project', project, 'keys');
  };
  return (
    <FormDialog
      title={words.create}
      action={texts.create}
      fields={['name', 'access', 'expiresAt']}
      onSubmit={submit}
      onClose={onClose}
    >
      {(faults) => (
        <>
          <TextField
            label={words.name}
            hint={words.nameHint}
            value={name}
            onInput={setName}
            error={faults.name}
            required
          />
          <SelectField
            label={words.access}
            hint={words.accessHints[access]}
            value={access}
            onChange={setAccess}
            options={[
              ['write', words.accesses.write],
              ['read', words.accesses.read],
            ]}
            error={faults.access}
          />
          <SelectField
            label={words.expires}
            hint={words.expiresHint}
            value={days}
            onChange={setDays}
            options={(['never', '30', '90', '365'] as const).map((one) => [one, words.ends[one]])}
            error={faults.expiresAt}
          />
        </>
      )}
    </FormDialog>
  );
}
