import { Ban, CircleCheck, Copy, Ellipsis, Pencil, Plus, Trash2, Users } from 'lucide';
import { useState } from 'preact/hooks';
import type { Account } from '../../../client/admin.ts';
import { admin, messageOf } from '../../api.ts';
import { countText } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { copyText } from '../../parts/copy.tsx';
import { type ListingColumn, ListingTable } from '../../parts/listing.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Badge, Empty, Loaded } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toasts.tsx';
import { refresh, useQuery } from '../../queries.ts';
import type { ScreenProps } from '../../router.ts';
import { navigate, usePlace } from '../../router.ts';
import { texts } from '../../texts.ts';
import { CreateUser, EditUser } from './user-dialog.tsx';

const { users: words } = texts.people;

const columns: readonly ListingColumn<Account>[] = [
  { head: words.email, cell: ({ email }) => email },
  { head: words.name, wideOnly: true, cell: ({ name }) => name },
  {
    head: words.status,
    cell: ({ disabled }) => (
      <Badge kind={disabled ? 'bad' : 'good'}>{disabled ? words.disabled : words.active}</Badge>
    ),
  },
  { head: words.created, wideOnly: true, cell: ({ _createdAt }) => <Time at={_createdAt} /> },
];

/** How many more each time. */
const step = 50;

export function UsersScreen({ params: { project = '' } }: ScreenProps) {
  const { path, query } = usePlace();
  const search = new URLSearchParams(query).get('search') ?? '';
  const [most, setMost] = useState(step);
  const [creating, setCreating] = useState(false);
  const users = useQuery({
    key: ['project', project, 'users', search, most],
    load: (signal) =>
      admin.project(project).users.list({ perPage: most, signal, ...(search !== '' && { search }) }),
    keepLast: true,
  });
  const find = (text: string) => {
    setMost(step);
    navigate(path, {
      query: text === '' ? '' : new URLSearchParams({ search: text }).toString(),
      replace: true,
    });
  };
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  return (
    <Page title={words.title} intro={words.intro} actions={create}>
      <input
        class="input narrow"
        type="search"
        aria-label={words.search}
        placeholder={words.search}
        value={search}
        onInput={(event) => find(event.currentTarget.value)}
      />
      <Loaded query={users}>
        {({ found, total }) =>
          total === 0 ? (
            <Empty icon={Users} title={search === '' ? words.none : words.noMatch}>
              {search === '' && <p>{words.noneHint}</p>}
            </Empty>
          ) : (
            <>
              <ListingTable
                rows={found}
                keyOf={({ _id }) => _id}
                columns={columns}
                actions={(user) => <UserActions project={project} user={user} />}
              />
              {found.length < total && (
                <p class="more-line">
                  <span class="quiet">{words.shown(countText(found.length), countText(total))}</span>
                  {most < 1000 && (
                    <Button onClick={() => setMost(Math.min(most * 2, 1000))}>{words.showMore}</Button>
                  )}
                </p>
              )}
            </>
          )
        }
      </Loaded>
      {creating && <CreateUser project={project} onClose={() => setCreating(false)} />}
    </Page>
  );
}

function UserActions({ project, user }: { project: string; user: Account }) {
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const { _id, email, disabled } = user;
  const { users } = admin.project(project);
  const close = () => setOpen(undefined);
  const setDisabled = async (value: boolean) => {
    try {
      await users.update(_id, { disabled: value });
      toast({ text: value ? words.disabledNow(email) : words.enabledNow(email) });
    } catch (error) {
      toast({ text: messageOf(error), kind: 'bad' });
    }
    await refresh('project', project, 'users');
  };
  const remove = async () => {
    await users.delete(_id);
    toast({ text: words.deleted(email) });
    await refresh('project', project, 'users');
  };
  return (
    <>
      <Menu
        label={words.actions(email)}
        icon={Ellipsis}
        items={[
          { label: words.edit, icon: Pencil, run: () => setOpen('edit') },
          disabled
            ? { label: words.enable, icon: CircleCheck, run: () => void setDisabled(false) }
            : { label: words.disable, icon: Ban, run: () => void setDisabled(true) },
          { label: words.copyId, icon: Copy, run: () => copyText(_id) },
          'line',
          { label: texts.remove, icon: Trash2, danger: true, run: () => setOpen('delete') },
        ]}
      />
      {open === 'edit' && <EditUser project={project} user={user} onClose={close} />}
      {open === 'delete' && (
        <Confirm title={words.deleteTitle(email)} action={texts.remove} onConfirm={remove} onClose={close}>
          <p>{words.deleteText}</p>
        </Confirm>
      )}
    </>
  );
}
