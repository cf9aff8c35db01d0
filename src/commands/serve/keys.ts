import type { CommandContext } from '../command.ts';
import { UsageError } from '../flags.ts';

const shortestKey = 16;

/** Whoever has it can do everything, so one that can be guessed is none. A blank one counts as not set. */
export function readAdminKey({ environment }: Pick<CommandContext, 'environment'>): string | undefined {
  const key = environment.VITRINE_ADMIN_KEY?.trim() || undefined;
  if (key === undefined || key.length >= shortestKey) return key;
  throw new UsageError(
    `VITRINE_ADMIN_KEY must have at least ${shortestKey} characters: make one with openssl rand -hex 32`,
  );
}

/** The same of the key that reads the metrics and nothing else. */
export function readMetricsKey({ flags }: Pick<CommandContext, 'flags'>): string | undefined {
  const key = flags.text('metrics-key').trim() || undefined;
  if (key === undefined || key.length >= shortestKey) return key;
  throw new UsageError(
    `--metrics-key must have at least ${shortestKey} characters: make one with openssl rand -hex 32`,
  );
}
