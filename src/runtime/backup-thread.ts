import type { BackupLabel } from '../store/backup-files.ts';
import type { DumpPart } from '../store/dump.ts';
import { localBackupFiles, withRoom } from '../store/engines/sqlite/backup/local-backup-files.ts';
import { backupParts, openRows } from '../store/engines/sqlite/backup/read-backup.ts';
import { FileWriting } from '../store/engines/sqlite/backup/write-backup.ts';
import { sendError } from '../store/engines/sqlite/writes/messages.ts';
import type { BackupAsk, BackupReply } from './backup-files.ts';
import { loadRuntime } from './load-runtime.ts';
import { beginThread } from './thread.ts';

/** The thread that makes and reads backup files, so that what takes minutes delays no request. */
beginThread(async (port) => {
  const { sqlite } = await loadRuntime();
  const files = localBackupFiles(sqlite);
  let writing: FileWriting | undefined;
  let reading: AsyncGenerator<DumpPart, void> | undefined;

  port.on('message', (ask: BackupAsk) => {
    perform(ask).then(
      (answer) => port.postMessage({ answer } satisfies BackupReply),
      (error: unknown) => port.postMessage({ error: sendError(error) } satisfies BackupReply),
    );
  });

  async function perform(ask: BackupAsk): Promise<unknown> {
    switch (ask.call) {
      case 'copy':
        return files.copy(ask.from, ask.to);
      case 'begin':
        writing = await withRoom(() => FileWriting.begin(sqlite, ask.to));
        return undefined;
      case 'add':
        return withRoom(() => writing?.add(ask.part));
      case 'end':
        return withRoom(() => writing?.end());
      case 'abandon':
        return writing?.abandon();
      case 'finish':
        return files.finish(ask.path, ask.label as BackupLabel);
      case 'check':
        return files.check(ask.path);
      case 'open':
        reading = partsOf(ask.path);
        return undefined;
      case 'next':
        return (await reading?.next())?.value ?? undefined;
      case 'restore':
        return files.restore(ask.draft, ask.from);
    }
  }

  async function* partsOf(path: string): AsyncGenerator<DumpPart, void> {
    const db = openRows(sqlite, path);
    try {
      yield* backupParts(db);
    } finally {
      db.close();
    }
  }
});
