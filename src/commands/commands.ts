import { admin } from './admin.ts';
import { apply } from './apply.ts';
import type { Command } from './command.ts';
import { copy } from './copy.ts';
import { environmentName } from './flags.ts';
import { importRecords } from './import.ts';
import { pull } from './pull.ts';
import { serve } from './serve.ts';

export const commands: ReadonlyMap<string, Command> = new Map([
  ['serve', serve],
  ['apply', apply],
  ['pull', pull],
  ['import', importRecords],
  ['copy', copy],
  ['admin', admin],
]);

export function help(name?: string): string {
  const command = name === undefined ? undefined : commands.get(name);
  return command ? commandHelp(name ?? '', command) : overview();
}

function overview(): string {
  const lines = [...commands].map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`);
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
