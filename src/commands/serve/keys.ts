import type { CommandContext } from '../command.ts';
import { UsageError } from '../flags.ts';

const shortestKey = 16;

/** What a header can carry after `Bearer`. */
const visible = /^[\x21-\x7e]+$/;

/** The key allows everything. */
export function readAdminKey({ environment }: Pick<CommandContext, 'environment'>): string | undefined {
  return readKey('VITRINE_ADMIN_KEY', environment.VITRINE_ADMIN_KEY ?? '');
}

/** The key that only reads the metrics. */
export function readMetricsKey({ flags }: Pick<CommandContext, 'flags'>): string | undefined {
  return readKey('--metrics-key', flags.text('metrics-key'));
}

/** One that could be guessed is refused, and one that no request could send. A blank one counts as not set. */
function readKey(name: string, text: string): string | undefined {
  const key = text.trim();
  if (key === '') return undefined;
  const refuse = (rule: string) =>
    new UsageError(`${name} must have ${rule}: make one with openssl rand -hex 32`);
  if (key.length < shortestKey) throw refuse(`at least ${shortestKey} characters`);
  if (!visible.test(key)) throw refuse('visible ASCII characters alone, without blanks');
  return key;
}
