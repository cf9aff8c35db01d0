import { KeyRound } from 'lucide';
import type { ServerKey } from '../../../client/admin.ts';
import { admin, everyPage } from '../../api.ts';
import { ListScreen } from '../../parts/list-screen.tsx';
import type { ListingColumn } from '../../parts/listing.tsx';
import { Badge } from '../../parts/notes.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toasts.tsx';
import { refresh, useQuery } from '../../queries.ts';
import type { ScreenProps } from '../../router.ts';
import { texts } from '../../texts.ts';
import { CreateKey } from './create-key.tsx';

const { keys: words } = texts.people;

const columns: readonly ListingColumn<ServerKey>[] = [
  { head: words.name, cell: ({ name }) => name },
  {
    head: words.access,
    cell: ({ access = 'write' }) => <Badge>{words.accesses[access]}</Badge>,
  },
  {
    head: words.lastUsed,
    wideOnly: true,
    cell: ({ lastUsedAt }) =>
      lastUsedAt ? <Time at={lastUsedAt} precise /> : <span class="quiet">{words.neverUsed}</span>,
  },
  { head: words.expires, wideOnly: true, cell: ({ expiresAt }) => <End at={expiresAt} /> },
  { head: words.created, wideOnly: true, cell: ({ _createdAt }) => <Time at={_createdAt} /> },
];

function End({ at }: { at: string | null }) {
  if (at === null) return <span class="quiet">{words.ends.never}</span>;
  return Date.parse(at) > Date.now() ? <Time at={at} /> : <Badge kind="bad">{words.over}</Badge>;
}

export function KeysScreen({ params: { project = '' } }: ScreenProps) {
  const { keys } = admin.project(project);
  const key = ['project', project, 'keys'];
  const query = useQuery({ key, load: () => everyPage((page) => keys.list(page)) });
  const remove = async ({ _id, name }: ServerKey) => {
    await keys.delete(_id);
    toast({ text: words.deleted(name) });
    void refresh(...key);
  };
  return (
    <ListScreen
      words={words}
      icon={KeyRound}
      query={query}
      keyOf={({ _id }) => _id}
      columns={columns}
      actions={(one) => (
        <RemoveButton
          project={project}
          label={words.deleteAction(one.name)}
          title={words.deleteTitle(one.name)}
          text={words.deleteText}
          onRemove={() => remove(one)}
        />
      )}
      creator={(close, showOnce) => <CreateKey project={project} onMade={showOnce} onClose={close} />}
    />
  );
}
