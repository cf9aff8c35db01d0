import { Plus, Users } from 'lucide';
import { useState } from 'preact/hooks';
import type { Account } from '../../../client/admin.ts';
import { admin, firstOf, moreThan } from '../../api.ts';
import { countText } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { type ListingColumn, ListingTable } from '../../parts/listing.tsx';
import { Badge, Empty, Loaded } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { useQuery } from '../../queries.ts';
import type { ScreenProps } from '../../router.ts';
import { navigate, usePlace } from '../../router.ts';
import { texts } from '../../texts.ts';
import { type ResetLink, ShownLink } from './reset-link.tsx';
import { UserActions } from './user-actions.tsx';
import { CreateUser } from './user-dialog.tsx';

const { users: words } = texts.people;

const columns: readonly ListingColumn<Account>[] = [
  { head: words.email, cell: ({ email }) => email },
  { head: words.name, wideOnly: true, cell: ({ name }) => <span class="anywhere">{name}</span> },
  {
    head: words.status,
    cell: ({ disabled, verified }) => (
      <span class="row">
        <Badge kind={disabled ? 'bad' : 'good'}>{disabled ? words.disabled : words.active}</Badge>
        {verified && <Badge>{words.verified}</Badge>}
      </span>
    ),
  },
  { head: words.created, wideOnly: true, cell: ({ _createdAt }) => <Time at={_createdAt} /> },
];

/** How many are shown at first. */
const step = 50;

export function UsersScreen({ params: { project = '' } }: ScreenProps) {
  const { path, query } = usePlace();
  const search = new URLSearchParams(query).get('search') ?? '';
  const [most, setMost] = useState(step);
  const [creating, setCreating] = useState(false);
  const [link, setLink] = useState<ResetLink>();
  const users = useQuery({
    key: ['project', project, 'users', search, most],
    load: (signal) =>
      firstOf(most, (page) =>
        admin.project(project).users.list({ ...page, signal, ...(search !== '' && { search }) }),
      ),
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
              {search === '' && create}
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
                  <Button busy={users.isPlaceholderData} onClick={() => setMost(moreThan(most))}>
                    {words.showMore}
                  </Button>
                </p>
              )}
            </>
          )
        }
      </Loaded>
      {creating && <CreateUser project={project} onLink={setLink} onClose={() => setCreating(false)} />}
      {link && <ShownLink shown={link} onClose={() => setLink(undefined)} />}
    </Page>
  );
}
