import { Webhook as WebhookIcon } from 'lucide';
import type { Webhook } from '../../../client/admin.ts';
import { admin, everyPage } from '../../api.ts';
import { ListScreen } from '../../parts/list-screen.tsx';
import type { ListingColumn } from '../../parts/listing.tsx';
import { Badge } from '../../parts/notes.tsx';
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
    cell: ({ collections, kinds }) => (
      <span class="anywhere">
        {words.sends(collections.length === 0 ? words.everything : collections.join(', '), kinds.join(', '))}
      </span>
    ),
  },
  { head: words.status, cell: (webhook) => <Status webhook={webhook} /> },
];

export function WebhooksScreen({ params: { project = '' } }: ScreenProps) {
  const query = useQuery({
    key: ['project', project, 'webhooks'],
    load: () => everyPage((page) => admin.project(project).webhooks.list(page)),
  });
  return (
    <ListScreen
      words={words}
      icon={WebhookIcon}
      query={query}
      keyOf={({ _id }) => _id}
      columns={columns}
      actions={(webhook, showOnce) => (
        <WebhookActions project={project} webhook={webhook} onSecret={showOnce} />
      )}
      creator={(close, showOnce) => <CreateWebhook project={project} onMade={showOnce} onClose={close} />}
    />
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
