import { admin } from '../../api.ts';
import { proposeId } from '../../model/propose-id.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { useForm } from '../../parts/use-form.ts';
import { refresh } from '../../queries.ts';
import { navigate } from '../../router.ts';
import { texts } from '../../texts.ts';

const { projects: words } = texts;

export function CreateProject({ onClose }: { onClose: () => void }) {
  const form = useForm({ name: '', id: undefined as string | undefined }, async ({ name }) => {
    await admin.projects.create({ id, ...(name !== '' && { name }) });
    void refresh('projects');
    navigate(`/${id}`);
  });
  const { name, id = proposeId(name) } = form.values;
  return (
    <FormDialog title={words.create} action={texts.create} form={form} onClose={onClose}>
      <TextField label={words.name} {...form.text('name')} />
      <TextField label={words.id} hint={words.idHint} {...form.text('id')} value={id} required />
    </FormDialog>
  );
}
