import { readNetworks } from '../../access/networks.ts';
import type { SendOptions } from '../../webhooks/send.ts';
import type { CommandContext } from '../command.ts';
import { reasonOf } from '../engine/reasons.ts';
import { UsageError } from '../flags.ts';

/** How webhooks are sent, from the flags. */
export function readSendOptions({ flags, runtime }: Pick<CommandContext, 'flags' | 'runtime'>): SendOptions {
  try {
    return { allowed: readNetworks(flags.text('webhook-allow')), resolve: runtime.resolve };
  } catch (error) {
    throw new UsageError(`--webhook-allow: ${reasonOf(error)}`);
  }
}
