import type { Command } from './command.ts';
import { environmentName } from './flags.ts';

/** Each is loaded when it is asked for: a server starts without what the others need. */
const loaders: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['serve', async () => (await import('./serve.ts')).serve],
  ['apply', async () => (await import('./apply.ts')).apply],
  ['pull', async () => (await import('./pull.ts')).pull],
  ['import', async () => (await import('./import.ts')).importRecords],
  ['copy', async () => (await import('./copy.ts')).copy],
  ['admin', async () => (await import('./admin.ts')).admin],
]);

export const commandNames = [...loaders.keys()];

export async function findCommand(name: string): Promise<Command | undefined> {
  return loaders.get(name)?.();
}

export async function help(name = ''): Promise<string> {
  const command = await findCommand(name);
  return command ? commandHelp(name, command) : overview();
}

async function overview(): Promise<string> {
  const lines = await Promise.all(
    [...loaders].map(async ([name, load]) => `  ${name.padEnd(10)}${(await load()).summary}`),
  );
  return `vitrine: a REST API for every collection of records\n\n${lines.join('\n')}\n  ${'help'.padEnd(10)}Shows this, or with a command its flags\n`;
}

function commandHelp(name: string, { summary, usage, flags, notes = '' }: Command): string {
  const lines = Object.entries(flags).map(([flag, { kind, summary: text, fallback }]) => {
    const shown = kind === 'switch' ? `--${flag}` : `--${flag} ${kind === 'number' ? 'N' : 'TEXT'}`;
    const otherwise = fallback === undefined ? '' : ` (${fallback})`;
    return `  ${shown.padEnd(24)}${text}${otherwise}\n  ${''.padEnd(24)}or ${environmentName(flag)}\n`;
  });
  return `vitrine ${name}${usage}\n\n${summary}.\n\n${lines.join('')}${notes && `\n${notes}\n`}`;
}
