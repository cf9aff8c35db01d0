import { Plus, Webhook as WebhookIcon } from 'lucide';
import { useState } from 'preact/hooks';
import type { Webhook } from '../../../client/admin.ts';
import { admin, everyPage } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Listing, type ListingColumn } from '../../parts/listing.tsx';
import { Badge } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { useQuery } from '../../queries.ts';
import type { ScreenProps } from '../../router.ts';
import { texts } from '../../texts.ts';
import { WebhookActions } from './actions.tsx';
import { CreateWebhook } from './webhook-dialog.tsx';

const { webhooks: words } = texts;

const columns: readonly ListingColumn<Webhook>[] = [
  {
    head: words.name,
    cell: ({ name, url }) => (
      <>
        <div>{name}</div>
        <div class="quiet cut webhook-url" title={url}>
          {url}
        </div>
      </>
    ),
  },
  {
    head: words.what,
    wideOnly: true,
    cell: ({ collections, kinds }) =>
      words.sends(collections.length === 0 ? words.everything : collections.join(', '), kinds.join(', ')),
  },
  { head: words.status, cell: (webhook) => <Status webhook={webhook} /> },
];

export function WebhooksScreen({ params: { project = '' } }: ScreenProps) {
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const webhooks = useQuery({
    key: ['project', project, 'webhooks'],
    load: () => everyPage((page) => admin.project(project).webhooks.list(page)),
  });
  const create = (
    <Button kind="primary" icon={Plus} onClick={() => setCreating(true)}>
      {words.create}
    </Button>
  );
  return (
    <Page title={words.title} intro={words.intro} actions={create}>
      <Listing
        query={webhooks}
        keyOf={({ _id }) => _id}
        columns={columns}
        actions={(webhook) => <WebhookActions project={project} webhook={webhook} onSecret={setSecret} />}
        empty={{ icon: WebhookIcon, title: words.none, hint: words.noneHint, action: create }}
      />
      {creating && <CreateWebhook project={project} onMade={setSecret} onClose={() => setCreating(false)} />}
      {secret !== undefined && (
        <ShownOnce
          title={words.secretTitle}
          text={words.secret}
          label={words.secretLabel}
          secret={secret}
          done={words.copied}
          onClose={() => setSecret(undefined)}
        />
      )}
    </Page>
  );
}

function Status({ webhook: { paused, pausedBecause, failures } }: { webhook: Webhook }) {
  if (!paused && failures === 0) return <Badge kind="good">{words.active}</Badge>;
  return (
    <>
      <Badge kind={paused ? 'warn' : 'bad'}>{paused ? words.isPaused : words.isFailing}</Badge>
      <div class="quiet webhook-why">
        {paused ? words.paused[pausedBecause ?? ''] : words.failing(failures)}
      </div>
    </>
  );
}
