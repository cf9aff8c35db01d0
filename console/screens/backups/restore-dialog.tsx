import type { Backup } from '../../../client/admin.ts';
import { admin, useProjects } from '../../api.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toasts.tsx';
import { useForm } from '../../parts/use-form.ts';
import { refresh } from '../../queries.ts';
import { navigate } from '../../router.ts';
import { texts } from '../../texts.ts';

const { backups: words } = texts;

/** Restores into a new project, unless the user types the id of an existing one and ticks that it is to be replaced. */
export function RestoreDialog({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const { _id, project, _createdAt } = backup;
  const { data: projects = [] } = useProjects();
  const isThere = (id: string) => projects.some((one) => one.id === id);
  const start = { as: isThere(project) ? `${project}-restored` : project, replace: false };
  const restore = async ({ as, replace }: typeof start) => {
    const made = await admin.backups.restore(_id, { as, ...(isThere(as) && { replace }) });
    toast({ text: 'status' in made ? words.goesOn : words.restored(as) });
    void refresh('projects');
    void refresh('project', as);
    void refresh('backups');
    if (!('status' in made)) navigate(`/${as}`);
  };
  const form = useForm(start, restore, onClose, ['as']);
  const { as, replace } = form.values;
  return (
    <FormDialog title={words.restoreTitle(project)} action={words.restore} form={form} onClose={onClose}>
      <p>
        <Time at={_createdAt} precise />. {words.restoreIntro}
      </p>
      <TextField
        label={words.as}
        hint={words.asHint}
        {...form.text('as')}
        onInput={(text) => form.set({ as: text, replace: false })}
        required
      />
      {isThere(as) && (
        <label class="check">
          <input
            type="checkbox"
            checked={replace}
            onChange={(event) => form.set({ replace: event.currentTarget.checked })}
          />
          <span>
            {words.replace}
            <small class="loss">{words.replaceHint}</small>
          </span>
        </label>
      )}
    </FormDialog>
  );
}
