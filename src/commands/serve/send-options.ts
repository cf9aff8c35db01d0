import { readNetworks } from '../../access/networks.ts';
import type { SendOptions } from '../../webhooks/send.ts';
import { reasonOf } from '../engine/reasons.ts';
import { type FlagValues, UsageError } from '../flags.ts';

/** How webhooks are sent, as the command line says. */
export function readSendOptions(flags: FlagValues): SendOptions {
  try {
    return { allowed: readNetworks(flags.text('webhook-allow')) };
  } catch (error) {
    throw new UsageError(`--webhook-allow: ${reasonOf(error)}`);
  }
}
