import { parseArgs } from 'node:util';
import { readNetworks } from '../../src/access/networks.ts';
import { SignInLimit } from '../../src/access/sign-in-limit.ts';
import type { CommandContext } from '../../src/commands/command.ts';
import { readFlags } from '../../src/commands/flags.ts';
import { answerRequests } from '../../src/commands/serve/answering.ts';
import { greet } from '../../src/commands/serve/greeting.ts';
import { openCatalog } from '../../src/commands/serve/open-catalog.ts';
import { serve } from '../../src/commands/serve.ts';
import { createLog, type Log } from '../../src/log.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { Engine } from '../../src/store/engine.ts';

/** `vitrine serve`, by one process, in all but how its storage is opened. */
export async function serveOn(
  args: readonly string[],
  open: (context: CommandContext, log: Log) => Promise<Engine>,
): Promise<void> {
  const context: CommandContext = {
    flags: readFlags(serve, args, process.env, parseArgs),
    environment: process.env,
    program: [process.execPath, ...process.argv.slice(1)],
    version: 'bench',
    runtime: await loadRuntime(),
    input: async () => '',
    get stdin() {
      return process.stdin;
    },
    screen: { colour: false, live: false },
    out: (text) => void process.stdout.write(text),
    write: async (bytes) => void process.stdout.write(bytes),
    err: (text) => void process.stderr.write(text),
    onStop: (stop) => void process.once('SIGTERM', stop),
  };
  const { flags, err } = context;
  const log = createLog(err, false);
  const catalog = await openCatalog(context, await open(context, log), log);
  const answering = await answerRequests(context, {
    ...{ catalog, log, proxies: readNetworks(''), signInLimit: new SignInLimit() },
    ...{ port: flags.number('port'), shared: false },
  });
  await greet(context, catalog, { port: answering.port, workers: 1 });
  await new Promise<void>((stop) => context.onStop(stop));
  await answering.stop();
  await catalog.close();
}
