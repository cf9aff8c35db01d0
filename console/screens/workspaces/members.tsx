import { useState } from 'preact/hooks';
import type { ManagedWorkspace } from '../../../client/admin.ts';
import type { Member, Role } from '../../../client/client.ts';
import { admin, everyPage, messageOf } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/form-field.tsx';
import { Badge, ErrorNote, Loaded } from '../../parts/notes.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { refresh, useQuery } from '../../queries.ts';
import { texts } from '../../texts.ts';

const { workspaces: words } = texts.people;

interface MembersProps {
  readonly project: string;
  readonly workspace: ManagedWorkspace;
  readonly onClose: () => void;
}

export function Members({ project, workspace, onClose }: MembersProps) {
  const [error, setError] = useState<string>();
  const key = ['project', project, 'members', workspace._id];
  const { workspaces } = admin.project(project);
  const members = useQuery({
    key,
    load: () => everyPage((page) => workspaces.members(workspace._id, page)),
  });
  const perform = async (work: () => Promise<unknown>) => {
    setError(undefined);
    try {
      await work();
    } catch (caught) {
      setError(messageOf(caught));
    }
    await refresh(...key);
  };
  return (
    <Dialog title={words.membersOf(workspace.name)} onClose={onClose} wide>
      <div class="stack">
        <Loaded query={members}>
          {(list) => (
            <MemberList
              list={list}
              project={project}
              onRemove={async (user) => {
                try {
                  await workspaces.removeMember(workspace._id, user);
                } finally {
                  void refresh(...key);
                }
              }}
            />
          )}
        </Loaded>
        {error !== undefined && <ErrorNote message={error} />}
        <AddMember
          project={project}
          known={new Set(members.data?.map(({ _id }) => _id))}
          onAdd={(user, role) => void perform(() => workspaces.addMember(workspace._id, { user, role }))}
        />
      </div>
    </Dialog>
  );
}

interface ListProps {
  readonly list: readonly Member[];
  readonly project: string;
  readonly onRemove: (user: string) => Promise<void>;
}

function MemberList({ list, project, onRemove }: ListProps) {
  if (list.length === 0) return <p class="quiet">{words.noMembers}</p>;
  return (
    <table class="table">
      <tbody>
        {list.map(({ _id, email, name, role }) => (
          <tr key={_id}>
            <td>{email}</td>
            <td>{name}</td>
            <td>
              <Badge>{role === 'owner' ? words.owner : words.member}</Badge>
            </td>
            <td class="row-actions">
              <RemoveButton
                project={project}
                label={words.removeMember(email)}
                title={words.removeTitle(email)}
                text={words.removeText}
                action={words.removeAction}
                onRemove={() => onRemove(_id)}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface AddProps {
  readonly project: string;
  readonly known: ReadonlySet<string>;
  readonly onAdd: (user: string, role: Role) => void;
}

/** Searches users on the server; those who are members already are left out. */
function AddMember({ project, known, onAdd }: AddProps) {
  const [search, setSearch] = useState('');
  const [role, setRole] = useState<Role>('member');
  const found = useQuery({
    key: ['project', project, 'users', 'pick', search],
    load: (signal) => admin.project(project).users.list({ search, perPage: 8, signal }),
    enabled: search.trim() !== '',
    keepLast: true,
  });
  const others = search.trim() === '' ? [] : (found.data?.found ?? []).filter(({ _id }) => !known.has(_id));
  return (
    <div class="stack">
      <div class="columns">
        <TextField
          label={words.addMember}
          hint={words.addHint}
          type="search"
          value={search}
          onInput={setSearch}
        />
        <SelectField
          label={words.newRole}
          value={role}
          onChange={setRole}
          options={[
            ['member', words.member],
            ['owner', words.owner],
          ]}
        />
      </div>
      <ul class="pick-list">
        {others.map(({ _id, email, name }) => (
          <li key={_id}>
            <span>
              {email} <span class="quiet">{name}</span>
            </span>
            <Button onClick={() => onAdd(_id, role)}>{words.add}</Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
