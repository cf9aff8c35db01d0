import type { CommandContext } from '../command.ts';
import { UsageError } from '../flags.ts';

const shortestKey = 16;

/** The key allows everything, so one that could be guessed is refused. A blank one counts as not set. */
export function readAdminKey({ environment }: Pick<CommandContext, 'environment'>): string | undefined {
  const key = environment.VITRINE_ADMIN_KEY?.trim() || undefined;
  if (key === undefined || key.length >= shortestKey) return key;
  throw new UsageError(
    `VITRINE_ADMIN_KEY must have at least ${shortestKey} characters: make one with openssl rand -hex 32`,
  );
}

/** The same for the key that only reads the metrics. */
export function readMetricsKey({ flags }: Pick<CommandContext, 'flags'>): string | undefined {
  const key = flags.text('metrics-key').trim() || undefined;
  if (key === undefined || key.length >= shortestKey) return key;
  throw new UsageError(
    `--metrics-key must have at least ${shortestKey} characters: make one with openssl rand -hex 32`,
  );
}
