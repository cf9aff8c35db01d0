import { RotateCcw } from 'lucide';
import { useState } from 'preact/hooks';
import type { Delivery, Webhook } from '../../../client/admin.ts';
import { admin } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Listing, type ListingColumn } from '../../parts/listing.tsx';
import { Badge } from '../../parts/notes.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toasts.tsx';
import { refresh, useQuery } from '../../queries.ts';
import { texts } from '../../texts.ts';

const { webhooks: words } = texts;

/** How many of the newest deliveries are shown. */
const shown = 100;

const kinds: Readonly<Record<string, string>> = { delivered: 'good', waiting: 'warn', failed: 'bad' };

const columns: readonly ListingColumn<Delivery>[] = [
  {
    head: words.change,
    cell: ({ collection, kind, _id }) => (
      <>
        <div>
          {collection}.{kind}
        </div>
        {_id !== null && <div class="quiet mono webhook-record">{_id}</div>}
      </>
    ),
  },
  {
    head: words.outcome,
    cell: ({ status, attempt }) => (
      <>
        <Badge kind={kinds[status] ?? 'plain'}>{words.states[status]}</Badge>{' '}
        {attempt > 1 && <span class="quiet">{words.tries(attempt)}</span>}
      </>
    ),
  },
  {
    head: words.answer,
    wideOnly: true,
    cell: ({ code, reason, ms }) => (
      <>
        {code ?? reason} {ms !== null && <span class="quiet">{words.took(ms)}</span>}
      </>
    ),
  },
  { head: words.at, wideOnly: true, cell: ({ at }) => <Time at={at} precise /> },
  {
    head: words.next,
    wideOnly: true,
    cell: ({ nextAt }) => nextAt !== null && <Time at={nextAt} precise />,
  },
];

interface DeliveriesProps {
  readonly project: string;
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** The log of a webhook's deliveries. */
export function Deliveries({ project, webhook: { _id, name }, onClose }: DeliveriesProps) {
  const [from, setFrom] = useState<string>();
  const key = ['project', project, 'webhooks', _id, 'deliveries'] as const;
  const deliveries = useQuery({
    key,
    load: async (signal) =>
      (await admin.project(project).webhooks.deliveries(_id, { perPage: shown, signal })).found,
    fresh: 0,
  });
  const replay = async () => {
    await admin.project(project).webhooks.replay(_id, { after: from ?? '' });
    toast({ text: words.replayed });
    void refresh(...key);
  };
  const footer = (
    <>
      <Button onClick={() => setFrom('')}>{words.replayAll}</Button>
      <Button onClick={() => void refresh(...key)}>{words.refresh}</Button>
      <Button kind="primary" onClick={onClose}>
        {texts.close}
      </Button>
    </>
  );
  return (
    <>
      <Dialog title={words.deliveriesOf(name)} onClose={onClose} footer={footer} wide>
        <Listing
          query={deliveries}
          keyOf={({ position, collection }) => `${position} ${collection}`}
          columns={columns}
          actions={({ position }) => (
            <Button kind="quiet" icon={RotateCcw} label={words.replay} onClick={() => setFrom(position)} />
          )}
          empty={{ icon: RotateCcw, title: words.noDeliveries }}
        />
      </Dialog>
      {from !== undefined && (
        <Confirm
          title={words.replayTitle}
          action={words.replayAll}
          onConfirm={replay}
          onClose={() => setFrom(undefined)}
        >
          <p>{from === '' ? words.replayAllText : words.replayText}</p>
        </Confirm>
      )}
    </>
  );
}
