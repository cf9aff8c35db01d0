import { setTimeout as sleep } from 'node:timers/promises';
import { type Admin, type Backup, VitrineError } from '../../../client/admin.ts';
import { manifestOf } from '../../backups/manifest.ts';
import { Failure } from '../../failure.ts';
import type { BackupFacts, BackupFiles } from '../../store/backup-files.ts';
import { bytesOf } from '../api/download.ts';
import type { Api } from '../api/open-api.ts';
import { CommandFailure } from '../command.ts';
import { requireGoingOn } from '../terminal/stop.ts';
import { downloadTo, keepFile, withDraft } from './file.ts';

interface Asked {
  readonly project: string;
  readonly file: string;
  readonly files: BackupFiles;
  readonly signal: AbortSignal;
  warn(text: string): void;
}

/** The server makes a backup, which is downloaded, verified and removed from the server. */
export function backUpFromServer(api: Api, asked: Asked): Promise<BackupFacts> {
  // The draft comes first: if the file can't be written, no backup is made on the server.
  return withDraft(asked.file, async (draft) => {
    asked.signal.addEventListener('abort', () => asked.warn('It is being removed from the server\n'));
    const begun = await api.admin.project(asked.project).backup();
    try {
      // Also if the command is stopped meanwhile: a backup under way can't be deleted.
      const made = await finished(api.admin, begun);
      requireGoingOn(asked.signal);
      return await fetchBackup(api, made, draft, asked);
    } finally {
      await forget(api.admin, begun, asked);
    }
  });
}

async function fetchBackup(
  { download }: Api,
  { _id, checksum = '' }: Backup,
  draft: string,
  { file, files, signal }: Asked,
): Promise<BackupFacts> {
  const answer = await download(`/v1/_admin/backups/${_id}/file`, signal);
  await downloadTo(draft, bytesOf(answer, signal), checksum);
  const facts = await files.check(draft).catch((error: unknown) => {
    throw error instanceof Failure ? new CommandFailure(`${draft}: ${error.message}`) : error;
  });
  if (facts.checksum !== checksum)
    throw new CommandFailure(`${file}: what was written is not what arrived: is the disk full, or failing?`);
  await keepFile(draft, file, manifestOf(facts, 'request', Date.now()));
  return facts;
}

async function finished(admin: Admin, begun: Backup): Promise<Backup> {
  let made = begun;
  while (made.status === 'running') {
    await sleep(1_000);
    made = await admin.backups.view(made._id);
  }
  if (made.status === 'failed') throw new CommandFailure(`the server could not make it: ${made.error}`);
  return made;
}

/** Only warns if the backup can't be deleted: that must neither fail the command nor hide another error. */
async function forget(admin: Admin, { _id }: Backup, { warn }: Asked): Promise<void> {
  try {
    await admin.backups.delete(_id);
  } catch (error) {
    if (!(error instanceof VitrineError)) throw error;
    if (error.status !== 404) warn(`the backup ${_id} stays on the server: ${error.message}\n`);
  }
}
