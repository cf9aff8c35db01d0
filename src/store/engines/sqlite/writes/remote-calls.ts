import type { Authority } from '../../../../access/authority.ts';
import type { Accounts } from '../../../accounts.ts';
import type { Webhooks } from '../../../webhooks.ts';
import { accountWrites, webhookWrites } from './calls.ts';
import type { ProjectWrites } from './writers.ts';

/** The `write` of a connection that only reads: every write is one of the calls below. */
export function neverHere(): Promise<never> {
  throw new Error('every write goes to the writer');
}

export function remoteAccounts(
  writes: ProjectWrites,
  authority: Authority | undefined,
): Pick<Accounts, (typeof accountWrites)[number]> {
  const calls = accountWrites.map((call) => {
    const perform = (...args: unknown[]) => {
      // A trailing undefined would arrive as null.
      while (args.length > 0 && args.at(-1) === undefined) args.pop();
      return writes.perform('account', { call, args, authority });
    };
    return [call, perform];
  });
  return Object.fromEntries(calls) as Pick<Accounts, (typeof accountWrites)[number]>;
}

export function remoteWebhooks(
  writes: ProjectWrites,
  authority: Authority | undefined,
): Pick<Webhooks, (typeof webhookWrites)[number]> {
  const calls = webhookWrites.map((call) => {
    return [call, (...args: unknown[]) => writes.perform('webhook', { call, args, authority })];
  });
  return Object.fromEntries(calls) as Pick<Webhooks, (typeof webhookWrites)[number]>;
}
