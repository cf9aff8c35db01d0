import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Admin, createAdmin, VitrineError } from '../../../client/admin.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { Backups } from '../../backups/backups.ts';
import { backUpBeforeUpgrade } from '../../backups/before-upgrade.ts';
import { folderPlace } from '../../backups/folder.ts';
import { Catalog } from '../../catalog/catalog.ts';
import type { Log } from '../../log.ts';
import { localBackupFiles } from '../../store/engines/sqlite/backup/local-backup-files.ts';
import { type CommandContext, CommandFailure } from '../command.ts';
import { openEngine } from '../engine/open-engine.ts';
import { isEmptyDirectory, type Place, placeFlags, placeName, readPlace } from '../engine/place.ts';
import { type Flags, UsageError } from '../flags.ts';
import { download } from './download.ts';
import { type Endpoint, localEndpoint } from './local-app.ts';
import { readUrl } from './read-url.ts';

/** The flags of a command that works on a running server, a data directory or a PostgreSQL database. */
export const apiFlags = {
  url: { kind: 'text', summary: 'A running server to work on, with the key in VITRINE_ADMIN_KEY' },
  ...placeFlags,
  data: { ...placeFlags.data, summary: 'Without --url: the data directory, not in use' },
} as const satisfies Flags;

/** An instance that a command works on as its administrator, with the same calls wherever it is. */
export interface Api {
  /** Its name in messages. */
  readonly name: string;
  readonly admin: Admin;
  /** The raw response to a GET, for downloads. */
  download(path: string, signal?: AbortSignal): Promise<Response>;
  /** Set if the instance is open in this process. */
  readonly catalog?: Catalog;
  close(): Promise<void>;
}

type Asked = Pick<CommandContext, 'flags' | 'environment' | 'runtime' | 'err'>;

/** `missing`: whether a data directory that does not exist is an error, counts as empty, or is created. */
async function openApi(asked: Asked, missing: 'refuse' | 'empty' | 'make'): Promise<Api> {
  const server = openServer(asked);
  if (server) return server;
  const place = readPlace(asked.flags);
  if (missing === 'empty' && isEmptyDirectory(place)) return openNothing(asked, placeName(place));
  return openLocal(asked, place, missing !== 'refuse');
}

/** The server of --url, if it is given. */
export function openServer({ flags, environment }: Asked): Api | undefined {
  for (const flag of ['data', 'database']) {
    if (flags.given('url') && flags.given(flag))
      throw new UsageError(`--url and --${flag} do not go together`);
  }
  const elsewhere = flags.given('data') || flags.given('database');
  const url = elsewhere ? '' : readUrl(flags.text('url'));
  if (url === '') return undefined;
  const key = environment.VITRINE_ADMIN_KEY ?? '';
  if (key === '') throw new UsageError('--url needs the key of the administrator in VITRINE_ADMIN_KEY');
  const endpoint = { url, token: key, fetch: (to: string, init: RequestInit) => fetch(to, init) };
  return { name: url, ...callsTo(endpoint), close: async () => {} };
}

async function openLocal({ runtime, err, flags }: Asked, place: Place, make: boolean): Promise<Api> {
  const { name, engine } = await openEngine(place, { runtime, make });
  const log: Log = {
    info: (message) => err(`${message}\n`),
    error: (message, error) => err(`${message}: ${error}\n`),
  };
  const catalog = new Catalog(engine, Date.now);
  const backups = new Backups({
    ...{ catalog, log, now: Date.now, vitrine: packageJson.version },
    place: folderPlace(join(place.kind === 'directory' ? place.path : flags.text('data'), 'backups')),
    openFiles: () => localBackupFiles(runtime.sqlite),
  });
  catalog.beforeUpgrade(backUpBeforeUpgrade(backups, Date.now));
  return localApi(name, catalog, log);
}

export function localApi(name: string, catalog: Catalog, log: Log): Api {
  return { name, ...callsTo(localEndpoint(catalog, log)), catalog, close: () => catalog.close() };
}

function callsTo(endpoint: Endpoint): Pick<Api, 'admin' | 'download'> {
  const { url, token, fetch } = endpoint;
  return {
    admin: createAdmin(url, { token, fetch }),
    download: (path, signal) => download(endpoint, path, signal),
  };
}

/** For reading from an instance that does not exist: an empty temporary one. */
async function openNothing(asked: Asked, name: string): Promise<Api> {
  const path = await mkdtemp(join(tmpdir(), 'vitrine-empty-'));
  const api = await openLocal(asked, { kind: 'directory', path }, true);
  const close = () => api.close().finally(() => rm(path, { recursive: true, force: true }));
  return { ...api, name, close };
}

/** Turns an error of the API into one of the command. */
function refused({ status, message }: VitrineError, { name }: Pick<Api, 'name'>): CommandFailure {
  const hint = status === 401 ? ': is VITRINE_ADMIN_KEY the one the server was started with?' : '';
  return new CommandFailure(status === 0 ? `${name} can't be reached: ${message}` : `${message}${hint}`);
}

/** Opens the instance, runs `work` with it, and closes it. */
export async function withApi<T>(
  asked: Asked,
  missing: 'refuse' | 'empty' | 'make',
  work: (api: Api) => Promise<T>,
): Promise<T> {
  const api = await openApi(asked, missing);
  return refusedBy(api, () => work(api)).finally(() => api.close());
}

/** Runs `work`, and turns errors of the API into errors of the command. */
export async function refusedBy<T>(api: Pick<Api, 'name'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof VitrineError ? refused(error, api) : error;
  }
}
