#!/usr/bin/env bun
import { parseArgs } from 'node:util';
import { CommandFailure } from './commands/command.ts';
import { commandNames, findCommand, help } from './commands/commands.ts';
import { readFlags, UsageError } from './commands/flags.ts';
import { Failure } from './failure.ts';
import { didYouMean } from './model/nearest.ts';
import { loadRuntime } from './runtime/runtime.ts';

/** The only file that reads the command line and the environment. */
async function main(): Promise<number> {
  const [name = 'help', ...rest] = process.argv.slice(2);
  if (['help', '--help', '-h'].includes(name)) {
    process.stdout.write(await help(rest[0]));
    return 0;
  }
  const command = await findCommand(name);
  if (!command) throw new UsageError(`there is no command '${name}'${didYouMean(name, commandNames)}`);
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(await help(name));
    return 0;
  }
  const flags = readFlags(command, rest, process.env, parseArgs);
  return command.run({
    flags,
    environment: process.env,
    program: [process.execPath, ...process.execArgv, ...process.argv.slice(1)],
    runtime: await loadRuntime(),
    input: async (question) => (await import('./commands/read-secret.ts')).readSecret(question),
    get stdin() {
      return process.stdin; // to ask for it is to open it
    },
    screen: {
      colour: process.stdout.isTTY === true && !process.env.NO_COLOR,
      live: process.stderr.isTTY === true,
    },
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    onStop: (stop) => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
    },
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  if (error instanceof UsageError) {
    process.stderr.write(`vitrine: ${error.message}; see 'vitrine help'\n`);
    process.exitCode = 2;
  } else if (error instanceof CommandFailure || error instanceof Failure) {
    process.stderr.write(`vitrine: ${error.message}\n`);
    process.exitCode = 1;
  } else throw error;
}
