import type { Command } from './command.ts';
import { environmentName } from './flags.ts';

/** Each is loaded on demand, so that a server does not load what the others need. */
const loaders: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['serve', async () => (await import('./serve.ts')).serve],
  ['apply', async () => (await import('./apply.ts')).apply],
  ['pull', async () => (await import('./pull.ts')).pull],
  ['types', async () => (await import('./types.ts')).types],
  ['import', async () => (await import('./import.ts')).importRecords],
  ['export', async () => (await import('./export.ts')).exportRecords],
  ['copy', async () => (await import('./copy.ts')).copy],
  ['backup', async () => (await import('./backup.ts')).backup],
  ['restore', async () => (await import('./restore.ts')).restore],
  ['users', async () => (await import('./users.ts')).users],
  ['keys', async () => (await import('./keys.ts')).keys],
  ['health', async () => (await import('./health.ts')).health],
  ['doctor', async () => (await import('./doctor.ts')).doctor],
  ['admin', async () => (await import('./admin.ts')).admin],
  ['completion', async () => (await import('./completion.ts')).completion(loadAll)],
]);

export const commandNames = [...loaders.keys()];

export async function findCommand(name: string): Promise<Command | undefined> {
  return loaders.get(name)?.();
}

async function loadAll(): Promise<ReadonlyMap<string, Command>> {
  const loaded = [...loaders].map(async ([name, load]) => [name, await load()] as const);
  return new Map(await Promise.all(loaded));
}

/** `program`: what to type to run a command. */
export async function help(program: string, name = ''): Promise<string> {
  const command = await findCommand(name);
  return command ? commandHelp(program, name, command) : overview(program);
}

async function overview(program: string): Promise<string> {
  const lines = [...(await loadAll())].map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`);
  return `Vitrine: a REST API for every collection of records

${lines.join('\n')}
  ${'help'.padEnd(12)}Shows this; '${program} help COMMAND' shows the flags of one
  ${'--version'.padEnd(12)}Shows the version
`;
}

function commandHelp(program: string, name: string, { summary, usage, flags, notes = '' }: Command): string {
  const shown = Object.entries(flags).map(([flag, { kind }]) =>
    kind === 'switch' ? `--${flag}` : `--${flag} ${kind === 'number' ? 'N' : 'TEXT'}`,
  );
  const width = Math.max(...shown.map(({ length }) => length + 1), 24);
  const lines = Object.entries(flags).map(([flag, { summary: text, fallback }], index) => {
    const otherwise = fallback === undefined ? '' : ` (${fallback})`;
    return `  ${shown[index]?.padEnd(width)}${text}${otherwise}\n  ${''.padEnd(width)}or ${environmentName(flag)}\n`;
  });
  const [forms = '', ...explained] = usage.split('\n\n');
  const head = forms.split('\n').map((form) => `${program} ${name}${form}`);
  const parts = [
    head.join('\n'),
    ...explained,
    `${summary}.`,
    lines.join('').trimEnd(),
    notes.replace(/^\n+/, ''),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
