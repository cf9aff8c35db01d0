import { Backups } from '../../src/backups/backups.ts';
import { folderPlace } from '../../src/backups/folder.ts';
import { Catalog } from '../../src/catalog/catalog.ts';
import { startBackupThread } from '../../src/runtime/backup-files.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { openPostgresEngine } from '../../src/store/engines/postgres/engine.ts';
import { openSqliteEngine } from '../../src/store/engines/sqlite/engine.ts';

/** A process that makes backups until it is killed: `backing.ts FOLDER --data DIRECTORY` or `--database ADDRESS`. */
const [folder = '', flag, address = ''] = process.argv.slice(2);
const { sqlite } = await loadRuntime();
const log = { info() {}, error() {} };
const engine =
  flag === '--database' ? openPostgresEngine({ url: address, log }) : openSqliteEngine(sqlite, address);
const catalog = new Catalog(engine, Date.now);
for (const run of await catalog.backupRuns.list()) await catalog.backupRuns.forget(run.id);
const backups = new Backups({
  ...{ catalog, log, now: Date.now, vitrine: 'test' },
  place: folderPlace(folder),
  openFiles: startBackupThread,
});
for (;;) {
  const { done } = await backups.start('shop', 'request');
  await done;
}
