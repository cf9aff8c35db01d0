import { createHmac, randomBytes } from 'node:crypto';
import type { Webhook } from '../store/webhooks.ts';

const prefix = 'whsec_';

export function makeSecret(): string {
  return `${prefix}${randomBytes(32).toString('base64')}`;
}

/** As in Standard Webhooks: the time is in whole seconds, and there is a signature for each valid secret. */
export function signedHeaders(
  { secret, former }: Pick<Webhook, 'secret' | 'former'>,
  id: string,
  body: string,
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const secrets = former && former.until > now ? [secret, former.secret] : [secret];
  const signatures = secrets.map((one) => `v1,${sign(one, `${id}.${timestamp}.${body}`)}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

function sign(secret: string, text: string): string {
  return createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
    .update(text)
    .digest('base64');
}
