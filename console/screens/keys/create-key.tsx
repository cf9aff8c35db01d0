import { admin } from '../../api.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { SelectField, TextField } from '../../parts/form-field.tsx';
import { useForm } from '../../parts/use-form.ts';
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
const start = { name: '', access: 'write' as 'read' | 'write', expiresAt: 'never' as Days };

export function CreateKey({ project, onMade, onClose }: CreateProps) {
  const make = async ({ name, access, expiresAt: days }: typeof start) => {
    const end = days === 'never' ? undefined : new Date(Date.now() + Number(days) * dayLength).toISOString();
    const { key } = await admin
      .project(project)
      .keys.create({ name, access, ...(end !== undefined && { expiresAt: end }) });
    onMade(key);
    void refresh('project', project, 'keys');
  };
  const form = useForm(start, make, onClose);
  return (
    <FormDialog title={words.create} action={texts.create} form={form} onClose={onClose}>
      <TextField label={words.name} hint={words.nameHint} {...form.text('name')} required />
      <SelectField
        label={words.access}
        hint={words.accessHints[form.values.access]}
        {...form.choice('access')}
        options={[
          ['write', words.accesses.write],
          ['read', words.accesses.read],
        ]}
      />
      <SelectField
        label={words.expires}
        hint={words.expiresHint}
        {...form.choice('expiresAt')}
        options={(['never', '30', '90', '365'] as const).map((one) => [one, words.ends[one]])}
      />
    </FormDialog>
  );
}
