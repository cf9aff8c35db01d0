import { readUrl } from './api/read-url.ts';
import { type Command, type CommandContext, CommandFailure } from './command.ts';
import { reasonOf } from './engine/reasons.ts';

const timeout = 5_000;

export const health: Command = {
  summary: 'Says whether a server answers: for container health checks, which have no curl',
  usage: ' [flags]',
  flags: {
    url: { kind: 'text', summary: 'Where the server is; without it, this machine' },
    port: { kind: 'number', summary: 'Its port, on this machine', fallback: '8090' },
    ready: {
      kind: 'switch',
      summary: 'Asks whether it should get requests: not while its database is out of reach',
    },
  },
  notes: 'Exit codes: 0 it does, 1 it does not, 2 a wrong flag.',
  run,
};

async function run({ flags, out }: CommandContext): Promise<number> {
  const base = readUrl(flags.text('url')) || `http://127.0.0.1:${flags.number('port')}`;
  const path = flags.on('ready') ? '/readyz' : '/healthz';
  const response = await fetch(`${base}${path}`, { signal: AbortSignal.timeout(timeout) }).catch(
    (error: unknown) => {
      throw new CommandFailure(`${base} can't be reached: ${reasonOf(error)}`);
    },
  );
  const { error } = (await response.json().catch(() => ({}))) as { error?: string };
  if (!response.ok) throw new CommandFailure(`${base}${path} answers ${response.status}: ${error ?? ''}`);
  out(`${base} ${flags.on('ready') ? 'is ready' : 'is up'}\n`);
  return 0;
}
