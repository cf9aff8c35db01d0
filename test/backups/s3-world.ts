import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Backups } from '../../src/backups/backups.ts';
import { S3Bucket } from '../../src/backups/s3/client.ts';
import { s3Place } from '../../src/backups/s3/s3-place.ts';
import { Catalog } from '../../src/catalog/catalog.ts';
import type { Log } from '../../src/log.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { localBackupFiles } from '../../src/store/engines/sqlite/backup/local-backup-files.ts';
import { startStorage } from '../storage.ts';
import { credentials, startS3 } from './s3-server.ts';

interface WorldOptions {
  readonly now?: () => number;
  readonly log?: Log;
  readonly prefix?: string;
  /** Bytes of a part of an upload. */
  readonly part?: number;
}

export type S3World = Awaited<ReturnType<typeof startS3World>>;

/** An instance without projects whose backups go to the bucket `kept` of a server of its own. */
export async function startS3World(options: WorldOptions = {}) {
  const { now = Date.now, log = { info() {}, error() {} }, prefix = '', part } = options;
  const server = await startS3('kept');
  const scratch = await mkdtemp(join(tmpdir(), 'vitrine-scratch-'));
  const bucket = new S3Bucket({ ...credentials, bucket: 'kept', endpoint: server.url, pause: 2 });
  const storage = await startStorage();
  const catalog = new Catalog(storage.open(), now);
  const { sqlite } = await loadRuntime();
  const backups = new Backups({
    ...{ catalog, now, vitrine: 'test', log },
    place: s3Place(bucket, { prefix, scratch, ...(part !== undefined && { part }) }),
    openFiles: () => localBackupFiles(sqlite),
  });
  const close = async () => {
    await server.close();
    await backups.close();
    await catalog.close();
    await storage.remove();
    await rm(scratch, { recursive: true, force: true });
  };
  return { server, scratch, bucket, catalog, backups, close };
}
