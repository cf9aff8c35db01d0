import { formatInstant } from '../model/instant.ts';
import type { Waiting, Webhook } from '../store/webhooks.ts';
import type { Message } from './send.ts';
import { signedHeaders } from './sign.ts';

/** `record`: as JSON. `position`: as the change feed shows it. */
export function changeMessage(
  webhook: Webhook,
  { kind, collection, id, changed, position: place }: Waiting,
  { record, position }: { readonly record: string; readonly position: string },
  now: number,
): Message {
  const data = `{"position":${JSON.stringify(position)},"collection":"${collection}","_id":${JSON.stringify(id)},"record":${record}}`;
  const body = `{"type":"${collection}.${kind}","timestamp":"${formatInstant(changed)}","data":${data}}`;
  // The same at every try, also where the collection is renamed in between.
  return message(webhook, `${webhook.id}_${place}_${id ?? collection}`, body, now);
}

export function testMessage(webhook: Webhook, id: string, now: number): Message {
  const body = { type: 'webhook.test', timestamp: formatInstant(now), data: { webhook: webhook.id } };
  return message(webhook, id, JSON.stringify(body), now);
}

function message(webhook: Webhook, id: string, body: string, now: number): Message {
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Vitrine-Webhooks',
    ...signedHeaders(webhook, id, body, now),
  };
  return { url: new URL(webhook.url), headers, body };
}
