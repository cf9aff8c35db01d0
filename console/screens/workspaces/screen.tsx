import { Boxes, Ellipsis, Pencil, Trash2, Users } from 'lucide';
import { useState } from 'preact/hooks';
import type { ManagedWorkspace } from '../../../client/admin.ts';
import { admin, everyPage } from '../../api.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { ListScreen } from '../../parts/list-screen.tsx';
import type { ListingColumn } from '../../parts/listing.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toasts.tsx';
import { useForm } from '../../parts/use-form.ts';
import { refresh, useQuery } from '../../queries.ts';
import type { ScreenProps } from '../../router.ts';
import { texts } from '../../texts.ts';
import { Members } from './members.tsx';

const { workspaces: words } = texts.people;

const columns: readonly ListingColumn<ManagedWorkspace>[] = [
  { head: words.name, cell: ({ name }) => name },
  { head: words.id, wideOnly: true, cell: ({ _id }) => <span class="mono quiet">{_id}</span> },
  { head: words.created, wideOnly: true, cell: ({ _createdAt }) => <Time at={_createdAt} /> },
];

export function WorkspacesScreen({ params: { project = '' } }: ScreenProps) {
  const query = useQuery({
    key: ['project', project, 'workspaces'],
    load: () => everyPage((page) => admin.project(project).workspaces.list(page)),
  });
  return (
    <ListScreen
      words={words}
      icon={Boxes}
      query={query}
      keyOf={({ _id }) => _id}
      columns={columns}
      actions={(workspace) => <WorkspaceActions project={project} workspace={workspace} />}
      creator={(close) => <NameDialog project={project} onClose={close} />}
    />
  );
}

function WorkspaceActions({ project, workspace }: { project: string; workspace: ManagedWorkspace }) {
  const [open, setOpen] = useState<'members' | 'rename' | 'delete'>();
  const { _id, name } = workspace;
  const close = () => setOpen(undefined);
  const remove = async () => {
    await admin.project(project).workspaces.delete(_id);
    toast({ text: words.deleted(name) });
    void refresh('project', project, 'workspaces');
  };
  return (
    <>
      <Menu
        label={words.actions(name)}
        icon={Ellipsis}
        items={[
          { label: words.members, icon: Users, run: () => setOpen('members') },
          { label: words.rename, icon: Pencil, run: () => setOpen('rename') },
          'line',
          { label: texts.remove, icon: Trash2, danger: true, run: () => setOpen('delete') },
        ]}
      />
      {open === 'members' && <Members project={project} workspace={workspace} onClose={close} />}
      {open === 'rename' && <NameDialog project={project} workspace={workspace} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          project={project}
          title={words.deleteTitle(name)}
          action={texts.remove}
          onConfirm={remove}
          onClose={close}
        >
          <p>{words.deleteText}</p>
        </Confirm>
      )}
    </>
  );
}

interface NameProps {
  readonly project: string;
  /** The one to rename; undefined: creates a new one. */
  readonly workspace?: ManagedWorkspace;
  readonly onClose: () => void;
}

function NameDialog({ project, workspace, onClose }: NameProps) {
  const { workspaces } = admin.project(project);
  const save = async ({ name }: { name: string }) => {
    if (workspace) await workspaces.update(workspace._id, { name });
    else await workspaces.create({ name });
    toast({ text: workspace ? words.saved(name) : words.made(name) });
    void refresh('project', project, 'workspaces');
  };
  const form = useForm({ name: workspace?.name ?? '' }, save, onClose);
  return (
    <FormDialog
      title={workspace ? words.rename : words.create}
      action={workspace ? texts.save : texts.create}
      form={form}
      onClose={onClose}
    >
      <TextField label={words.name} {...form.text('name')} required />
    </FormDialog>
  );
}
