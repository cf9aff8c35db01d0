import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { Failure, messageWithTrouble } from '../failure.ts';
import { idPattern, idRule } from '../model/names.ts';
import type { BackupFacts } from '../store/backup-files.ts';
import { localBackupFiles } from '../store/engines/sqlite/backup/local-backup-files.ts';
import { defaultAuth } from '../store/project-record.ts';
import { readChecksum } from './backup/file.ts';
import { unhurried } from './backup.ts';
import { type Command, type CommandContext, CommandFailure } from './command.ts';
import { pausedWebhooks } from './copy/paused-webhooks.ts';
import { openEngine } from './engine/open-engine.ts';
import { placeFlags, readPlace } from './engine/place.ts';
import { UsageError } from './flags.ts';
import { counted } from './terminal/colours.ts';
import { unusableFile } from './terminal/files.ts';

export const restore: Command = {
  summary: 'Makes a project of the file of a backup',
  usage: ' FILE [--as NAME] [flags]',
  args: ['FILE'],
  flags: {
    as: { kind: 'text', summary: 'What the project is called; without it, as the one that was backed up' },
    ...placeFlags,
    data: { ...placeFlags.data, summary: 'The data directory, not in use; it is made if it is not there' },
  },
  notes: `All of the file is read first, and one that is damaged is refused. Its rows are copied into a new project, which is
there when that is done. Nobody is signed in to it. A running server restores what it has made itself: see docs/backups.md.`,
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { flags, runtime, out } = context;
  const file = flags.text('FILE');
  const as = flags.text('as');
  if (as !== '' && !idPattern.test(as)) throw new UsageError(`--as ${idRule}, not '${as}'`);
  if (/^s3:/i.test(file))
    throw new UsageError(
      'FILE must be a file on this machine: download it first, or have the server that keeps its backups there restore it',
    );
  await requireReadable(file);
  const files = localBackupFiles(runtime.sqlite);
  const facts = await orCommandFailure(file, () => files.check(file));
  await refuseOther(file, facts);
  const { engine, name } = await openEngine(readPlace(flags), {
    ...{ runtime, make: true, database: unhurried },
    whereInUse: 'stop it, or have it restore a backup that it has made itself',
  });
  try {
    const { project, records, counts } = facts;
    const id = as === '' ? project.id : as;
    const record = { ...project, id, auth: { ...defaultAuth, ...project.auth }, updated: Date.now() };
    const taken = `there is a project '${id}' already: delete it, or name another with --as`;
    if (await engine.findProject(id)) throw new CommandFailure(taken);
    const made = await orCommandFailure(file, () =>
      engine.loadProject(record, file, files, { replace: false }),
    );
    if (!made) throw new CommandFailure(taken);
    out(
      `Restored ${id} in ${name}: ${counted(records, 'record')}, as of ${new Date(facts.made).toISOString()}\n`,
    );
    out(pausedWebhooks(id, counts.webhooks ?? 0));
    return 0;
  } finally {
    await engine.close();
  }
}

/** Checked first, as SQLite reports every problem as a file that can't be opened. */
async function requireReadable(file: string): Promise<void> {
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new CommandFailure(`${file}: is a folder, not a file`);
    if (!found.isFile()) throw new CommandFailure(`${file}: is a device or a pipe: save it to a file first`);
    await access(file, constants.R_OK);
  } catch (error) {
    throw error instanceof CommandFailure ? error : unusableFile(file, error);
  }
}

async function refuseOther(file: string, { checksum }: BackupFacts): Promise<void> {
  const expected = await readChecksum(file);
  if (expected === undefined || expected === checksum) return;
  throw new CommandFailure(
    `${file}: was changed or damaged since it was made, as its SHA-256 is not that of ${file}.json`,
  );
}

async function orCommandFailure<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Failure ? new CommandFailure(`${file}: ${messageWithTrouble(error)}`) : error;
  }
}
