import type { AuthSettings, Project } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import { isStatus, messageOf } from '../../api.ts';
import { sameValue } from '../../model/fields.ts';
import type { Secrets } from '../../model/typed-secrets.ts';
import { type Fields, writtenAfter } from './renamed.ts';

/** Unsaved changes; what is missing is as on the server. */
export interface Change {
  readonly name?: string;
  readonly auth?: AuthSettings;
  readonly changes?: { readonly days: number };
}

type JsonObject = { readonly [key: string]: Json };

export const isEmpty = ({ name, auth = {}, changes }: Change) =>
  name === undefined && changes === undefined && Object.keys(auth).length === 0;

/** A change as it is sent, with the secrets that were typed. */
export function withSecrets(project: Project, change: Change, secrets: Secrets): Change {
  if (Object.keys(secrets).length === 0) return change;
  const providers = (change.auth?.providers ?? project.auth.providers ?? []) as readonly JsonObject[];
  const known = providers.map((provider, at) =>
    secrets[at] === undefined ? provider : { ...provider, clientSecret: secrets[at] },
  );
  return { ...change, auth: { ...change.auth, providers: known } };
}

/** What was changed after `sent` was sent, which is saved now. `project`: as it was before. */
export function sinceSent(project: Project, sent: Change, current: Change): Change {
  const whole = ({ name = project.name, auth, changes = project.changes }: Change) => ({
    name,
    days: changes.days,
    auth: { ...project.auth, ...auth },
  });
  const before = whole(sent);
  const { name, days, auth } = whole(current);
  const settings = Object.entries(auth)
    .filter(([setting, value]) => !sameValue(value, before.auth[setting]))
    .map(([setting, value]) => {
      const renames = setting === 'profile' && sent.auth?.profile !== undefined;
      return [setting, renames ? writtenAfter(value as Fields, sent.auth?.profile as Fields) : value];
    });
  return {
    ...(name !== before.name && { name }),
    ...(days !== undefined && days !== before.days && { changes: { days } }),
    ...(settings.length > 0 && { auth: Object.fromEntries(settings) }),
  };
}

export const secretsSince = (sent: Secrets, current: Secrets): Secrets =>
  Object.fromEntries(Object.entries(current).filter(([at, secret]) => sent[Number(at)] !== secret));

const confirmHint = /: [a-z ]+ \?confirm=destructive to do it anyway/g;

/** What would be lost, if the error is a conflict that can be overridden with `?confirm=destructive`: not all can. */
export function lossOf(error: unknown): string | undefined {
  const message = messageOf(error);
  if (!isStatus(error, 409) || message.search(confirmHint) < 0) return undefined;
  return message.replaceAll(confirmHint, '');
}
