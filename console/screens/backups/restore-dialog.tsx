import { useState } from 'preact/hooks';
import type { Backup } from '../../../client/admin.ts';
import { admin, useProjects } from '../../api.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toasts.tsx';
import { refresh } from '../../queries.ts';
import { navigate } from '../../router.ts';
import { texts } from '../../texts.ts';

const { backups: words } = texts;

/** Beside the project that is there, unless it is said twice that it is to be replaced. */
export function RestoreDialog({ backup, onClose }: { backup: Backup; onClose: () => void }) {
  const { _id, project, _createdAt } = backup;
  const { data: projects = [] } = useProjects();
  const isThere = (id: string) => projects.some((one) => one.id === id);
  const [as, setAs] = useState(isThere(project) ? `${project}-restored` : project);
  const [replace, setReplace] = useState(false);
  const taken = isThere(as);
  const submit = async () => {
    const made = await admin.backups.restore(_id, { as, ...(taken && { replace }) });
    toast({ text: 'status' in made ? words.goesOn : words.restored(as) });
    await refresh('projects');
    await refresh('project', as);
    await refresh('backups');
    if (!('status' in made)) navigate(`/${as}`);
  };
  return (
    <FormDialog
      title={words.restoreTitle(project)}
      action={words.restore}
      fields={['as']}
      onSubmit={submit}
      onClose={onClose}
    >
      {(faults) => (
        <>
          <p>
            <Time at={_createdAt} precise />. {words.restoreIntro}
          </p>
          <TextField
            label={words.as}
            hint={words.asHint}
            value={as}
            onInput={(text) => {
              setAs(text);
              setReplace(false);
            }}
            error={faults.as}
            required
          />
          {taken && (
            <label class="check">
              <input
                type="checkbox"
                checked={replace}
                onChange={(event) => setReplace(event.currentTarget.checked)}
              />
              <span>
                {words.replace}
                <small class="loss">{words.replaceHint}</small>
              </span>
            </label>
          )}
        </>
      )}
    </FormDialog>
  );
}
