import { parseArgs } from 'node:util';
import packageJson from '../package.json' with { type: 'json' };
import { CommandFailure } from './commands/command.ts';
import { readFlags, UsageError } from './commands/flags.ts';
import { commandNames, findCommand, help } from './commands/register.ts';
import { onStopSignal } from './commands/stop-signals.ts';
import { unusableFile } from './commands/terminal/files.ts';
import { Failure, messageWithTrouble } from './failure.ts';
import { didYouMean } from './model/nearest.ts';
import { ownCommand } from './runtime/executable.ts';
import { loadRuntime } from './runtime/load-runtime.ts';

/** What to type to run a command, for messages: in a checkout it goes through npm. */
const scripts = ['start', 'vitrine'];
const program = scripts.includes(process.env.npm_lifecycle_event ?? '') ? 'npm run vitrine --' : 'vitrine';

/** The command whose help is mentioned in errors, once it is known. */
let asked = '';

/** The only file that reads the command line and the environment. */
async function main(): Promise<number> {
  const [name = 'help', ...rest] = process.argv.slice(2);
  if (['--version', '-v', 'version'].includes(name)) return print(`vitrine ${packageJson.version}\n`);
  const asksHelp = ['help', '--help', '-h'].includes(name);
  const chosen = asksHelp ? rest.find((word) => !word.startsWith('-') && word !== 'help') : name;
  if (chosen === undefined) return print(await help(program));
  const command = await findCommand(chosen);
  if (!command) throw new UsageError(`there is no command '${chosen}'${didYouMean(chosen, commandNames)}`);
  if (asksHelp) return print(await help(program, chosen));
  asked = ` ${name}`;
  if (rest.includes('--help') || rest.includes('-h')) return print(await help(program, name));
  const flags = readFlags(command, rest, process.env, parseArgs);
  return command.run({
    flags,
    environment: process.env,
    program: ownCommand(process.argv),
    version: packageJson.version,
    runtime: await loadRuntime(),
    input: async (question) => (await import('./commands/terminal/secret.ts')).readSecret(question),
    get stdin() {
      return process.stdin; // a getter, as reading the property opens it
    },
    screen: {
      colour: process.stdout.isTTY === true && !process.env.NO_COLOR,
      live: process.stderr.isTTY === true,
    },
    out: (text) => void process.stdout.write(text),
    write: (bytes) => new Promise((resolve) => process.stdout.write(bytes, () => resolve())),
    err: (text) => void process.stderr.write(text),
    onStop: onStopSignal,
  });
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0); // the reader has seen enough, as in `vitrine export … | head`
  process.stderr.write(`vitrine: ${unusableFile('the output', error).message}\n`);
  process.exit(1);
});
// A closed stderr must not end a command half-way, such as an import that reports its progress there.
process.stderr.on('error', () => {});

/** Says in a line what was wrong, and returns the exit code. */
function sayFailure(error: unknown): number {
  if (error instanceof UsageError) {
    const { message } = error;
    process.stderr.write(
      `vitrine: ${message}${message.endsWith('?') ? ' See' : '; see'} '${program} help${asked}'\n`,
    );
    return 2;
  }
  if (!(error instanceof CommandFailure || error instanceof Failure)) throw error;
  const said = error instanceof Failure ? messageWithTrouble(error) : error.message;
  process.stderr.write(`vitrine: ${said}\n`);
  return 1;
}

main()
  .catch(sayFailure)
  .then((code) => {
    process.exitCode = code;
  });
