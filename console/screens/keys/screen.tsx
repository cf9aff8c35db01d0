import { KeyRound, Plus, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import type { ServerKey } from '../../../client/admin.ts';
import { admin, everyPage } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Listing, type ListingColumn } from '../../parts/listing.tsx';
import { Badge } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
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
    cell: ({ lastUsedAt }) =>
      lastUsedAt ? <Time at={lastUsedAt} precise /> : <span class="quiet">{words.neverUsed}</span>,
  },
  { head: words.expires, wideOnly: true, cell: ({ expiresAt }) => <End at={expiresAt ?? null} /> },
  { head: words.created, wideOnly: true, cell: ({ _createdAt }) => <Time at={_createdAt} /> },
];

function End({ at }: { at: string | null }) {
  if (at === null) return <span class="quiet">{words.ends.never}</span>;
  return Date.parse(at) > Date.now() ? <Time at={at} /> : <Badge kind="bad">{words.over}</Badge>;
}

export function KeysScreen({ params: { project = '' } }: ScreenProps) {
  const [creating, setCreating] = useState(false);
  const [made, setMade] = useState<string>();
  const keys = useQuery({
    key: ['project', project, 'keys'],
    load: () => everyPage((page) => admin.project(project).keys.list(page)),
  });
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  return (
    <Page title={words.title} intro={words.intro} actions={create}>
      <Listing
        query={keys}
        keyOf={({ _id }) => _id}
        columns={columns}
        actions={(key) => <DeleteKey project={project} serverKey={key} />}
        empty={{ icon: KeyRound, title: words.none, hint: words.noneHint, action: create }}
      />
      {creating && <CreateKey project={project} onMade={setMade} onClose={() => setCreating(false)} />}
      {made !== undefined && (
        <ShownOnce
          title={words.onceTitle}
          text={words.once}
          label={words.keyLabel}
          secret={made}
          done={words.copied}
          onClose={() => setMade(undefined)}
        />
      )}
    </Page>
  );
}

function DeleteKey({ project, serverKey }: { project: string; serverKey: ServerKey }) {
  const [asking, setAsking] = useState(false);
  const { _id, name } = serverKey;
  const remove = async () => {
    await admin.project(project).keys.delete(_id);
    toast({ text: words.deleted(name) });
    await refresh('project', project, 'keys');
  };
  return (
    <>
      <Button kind="quiet" icon={Trash2} label={words.deleteAction(name)} onClick={() => setAsking(true)} />
      {asking && (
        <Confirm
          title={words.deleteTitle(name)}
          action={texts.remove}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>{words.deleteText}</p>
        </Confirm>
      )}
    </>
  );
}
