import type { ColumnValue } from '../../../model/field.ts';
import type { Delivery, PauseReason, Waiting, Webhook } from '../../webhooks.ts';
import { raw } from '../tag.ts';

export const webhookColumns = raw(
  `id, name, url, collections, kinds, fields, secret, former, former_until, paused, position, failures, failing_since,
   created, updated`,
);

export function readWebhook(row: readonly ColumnValue[]): Webhook {
  const [id, name, url, collections, kinds, fields = null, secret, former = null, until] = row;
  const [paused = null, position, failures, failingSince = null, created, updated] = row.slice(9);
  return {
    ...{ id: String(id), name: String(name), url: String(url), secret: String(secret) },
    collections: JSON.parse(String(collections)) as string[],
    kinds: JSON.parse(String(kinds)) as Webhook['kinds'],
    fields: fields === null ? null : (JSON.parse(String(fields)) as string[]),
    former: former === null ? null : { secret: String(former), until: Number(until) },
    paused: paused as PauseReason | null,
    position: String(position),
    failures: Number(failures),
    failingSince: numberOrNull(failingSince),
    ...{ created: Number(created), updated: Number(updated) },
  };
}

export const waitingColumns = 'n, position, kind, collection, record, changed, attempt';

export function readWaiting(row: readonly ColumnValue[]): Waiting {
  const [n, position, kind, collection, record = null, changed, attempt] = row;
  return {
    ...{ n: Number(n), position: String(position), collection: String(collection) },
    kind: kind as Waiting['kind'],
    id: record === '' ? null : String(record),
    ...{ changed: Number(changed), attempt: Number(attempt) },
  };
}

export const deliveryColumns = `${waitingColumns}, state, code, reason, ms, at, next_at`;

export function readDelivery(row: readonly ColumnValue[]): Delivery {
  const [state, code = null, reason = null, ms = null, at = null, nextAt = null] = row.slice(7);
  return {
    ...readWaiting(row),
    state: state as Delivery['state'],
    code: numberOrNull(code),
    reason: reason === null ? null : String(reason),
    ...{ ms: numberOrNull(ms), at: numberOrNull(at), nextAt: numberOrNull(nextAt) },
  };
}

const numberOrNull = (value: ColumnValue) => (value === null ? null : Number(value));
