import { digest, randomSecret } from '../access/secret.ts';
import { SignInLimit } from '../access/sign-in-limit.ts';
import { Catalog } from '../catalog/catalog.ts';
import { Failure } from '../failure.ts';
import { createApp } from '../http/app.ts';
import { readProxies } from '../http/client-address.ts';
import { createLog } from '../log.ts';
import type { Listener } from '../runtime/runtime.ts';
import { startWriterThread } from '../runtime/writers.ts';
import { openSqliteEngine } from '../store/engines/sqlite/engine.ts';
import type { Command, CommandContext } from './command.ts';
import { makeDemo } from './demo.ts';
import { type FlagValues, UsageError } from './flags.ts';
import { limitFlags, readLimits, readRateLimit } from './serve-limits.ts';
import { lockDirectory } from './target/directory-lock.ts';

/** How long requests in flight get to finish once the server is told to stop. */
const patience = 10_000;

export const serve: Command = {
  summary: 'Serves the projects under a data directory over HTTP',
  usage: ' [flags]',
  flags: {
    host: { kind: 'text', summary: 'The address to listen on', fallback: '127.0.0.1' },
    port: { kind: 'number', summary: 'The port to listen on', fallback: '8090' },
    data: { kind: 'text', summary: 'Where the data is kept', fallback: './data' },
    demo: { kind: 'switch', summary: 'Makes a project demo with sample records if there is no project' },
    workers: { kind: 'text', summary: 'How many processes serve; only 1 in this version', fallback: '1' },
    database: { kind: 'text', summary: 'A postgres:// address; not in this version' },
    'trust-proxy': {
      kind: 'text',
      summary: 'Proxies whose X-Forwarded-For is believed: addresses or networks, with commas',
    },
    'log-requests': { kind: 'switch', summary: 'Logs a line for every request' },
    ...limitFlags,
  },
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { flags, runtime, environment, out, err } = context;
  const log = createLog(err, flags.on('log-requests'));
  const adminKey = environment.VITRINE_ADMIN_KEY || undefined;
  refuseUnavailable(flags);
  const proxies = trustedProxies(flags.text('trust-proxy'));
  let catalog: Catalog;
  let demo = false;
  let unlock: (() => void) | undefined;
  try {
    unlock = lockDirectory(runtime.sqlite, flags.text('data'));
    catalog = new Catalog(
      openSqliteEngine(
        runtime.sqlite,
        flags.text('data'),
        startWriterThread({
          failed(error) {
            log.error('the thread that writes failed', error);
            process.exit(1);
          },
        }),
      ),
      Date.now,
      flags.number('fields-limit'),
    );
    if (flags.on('demo')) await makeDemo(catalog);
    demo = await catalog.hasProject('demo');
  } catch (error) {
    err(`vitrine: the data directory '${flags.text('data')}' can not be used: ${reason(error)}\n`);
    unlock?.();
    return 1;
  }
  const app = createApp({
    catalog,
    log,
    now: Date.now,
    adminKeyDigest: adminKey === undefined ? undefined : digest(adminKey),
    signInLimit: new SignInLimit(),
    proxies,
    rateLimit: readRateLimit(flags),
    limits: readLimits(flags),
  });
  let listener: Listener;
  try {
    const { host, port } = { host: flags.text('host'), port: flags.number('port') };
    listener = await runtime.listen({ host, port, fetch: app.fetch });
  } catch (error) {
    await catalog.close();
    unlock();
    err(`vitrine: can not listen on ${flags.text('host')}:${flags.text('port')}: ${listenReason(error)}\n`);
    return 1;
  }
  const base = `http://${flags.text('host')}:${listener.port}`;
  out(banner(base, flags.text('data'), runtime.name, demo));
  if (adminKey !== undefined) await catalog.administrators.withdrawSetup();
  else if (!(await catalog.administrators.any())) out(await setupLink(base, catalog));
  await new Promise<void>((stop) => context.onStop(stop));

  const late = setTimeout(() => log.info('requests were still in flight after 10 s'), patience);
  await Promise.race([
    app.drain().then(() => listener.stop()),
    new Promise((resolve) => setTimeout(resolve, patience).unref()),
  ]);
  clearTimeout(late);
  await catalog.close();
  unlock();
  return 0;
}

/** While nobody can manage the instance, whoever sees this output may become its administrator, once. */
async function setupLink(base: string, catalog: Catalog): Promise<string> {
  const token = randomSecret();
  await catalog.administrators.offerSetup(digest(token));
  return `\nThere is no administrator yet. Become it, once, at:\n  ${base}/_console/setup#${token}\n`;
}

/** What a later version brings is refused, not ignored. */
function refuseUnavailable(flags: FlagValues): void {
  if (!['1', 'auto'].includes(flags.text('workers')))
    throw new UsageError('--workers can only be 1 in this version');
  if (flags.text('database') !== '')
    throw new UsageError('--database is not there in this version: use --data');
}

function trustedProxies(text: string) {
  try {
    return readProxies(text);
  } catch (error) {
    throw new UsageError(`--trust-proxy: ${reason(error)}`);
  }
}

function banner(base: string, data: string, runtime: string, demo: boolean): string {
  const lines = [`Vitrine is at ${base} (data in ${data}, ${runtime})`];
  if (demo) {
    lines.push('', 'Try:', `  curl '${base}/v1/demo/products?include=brand&sort=-price&perPage=3'`);
  }
  return `${lines.join('\n')}\n`;
}

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'it can not be written';
    case 'ENOTDIR':
    case 'EEXIST':
      return 'it is not a directory';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

function listenReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return 'the port is taken: stop what uses it or choose another with --port';
  return error instanceof Failure || error instanceof Error ? error.message : String(error);
}
