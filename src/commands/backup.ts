import { v7 as uuidv7 } from 'uuid';
import packageJson from '../../package.json' with { type: 'json' };
import { manifestOf } from '../backups/manifest.ts';
import { startBackupThread } from '../runtime/backup-files.ts';
import type { BackupFacts } from '../store/backup-files.ts';
import { localBackupFiles } from '../store/engines/sqlite/backup/local-backup-files.ts';
import { ProjectGone, StaleSchema } from '../store/schema.ts';
import { apiFlags, openServer, refusedBy } from './api/open-api.ts';
import { keepFile, withDraft } from './backup/file.ts';
import { backUpFromServer } from './backup/from-server.ts';
import { type Command, type CommandContext, CommandFailure } from './command.ts';
import { openEngine } from './engine/open-engine.ts';
import { readPlace } from './engine/place.ts';
import { UsageError } from './flags.ts';
import { counted } from './terminal/colours.ts';
import { requireGoingOn, stopSignal } from './terminal/stop.ts';

export const backup: Command = {
  summary: 'Writes all there is of a project to one SQLite file',
  usage: ' PROJECT --to FILE [flags]',
  args: ['PROJECT'],
  flags: {
    to: { kind: 'text', summary: 'The file; one that is there is replaced when the new one is good' },
    ...apiFlags,
  },
  notes: `The file is read again before it gets its name, and its manifest lies beside it, as FILE.json. It holds password
hashes and keys: it is for you alone (0600). 'vitrine restore' makes a project of it, on either engine.`,
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { flags, out, err, runtime, onStop } = context;
  const [project, file] = [flags.text('PROJECT'), flags.text('to')];
  if (file === '') throw new UsageError('--to is missing: the file of the backup');
  if (/^s3:/i.test(file))
    throw new UsageError(
      '--to must be a file on this machine, to be copied to the bucket. A server keeps its backups there by itself with --backup-to',
    );
  const server = openServer(context);
  const signal = stopSignal(onStop);
  const { records, bytes, checksum } = server
    ? await refusedBy(server, () => {
        const files = localBackupFiles(runtime.sqlite);
        return backUpFromServer(server, { project, file, files, warn: err, signal });
      })
    : await fromStorage(context, project, file, signal);
  out(
    `Wrote ${project} to ${file}: ${counted(records, 'record')}, ${counted(bytes, 'byte')}, SHA-256 ${checksum}\n`,
  );
  return 0;
}

async function fromStorage(
  context: CommandContext,
  project: string,
  file: string,
  signal: AbortSignal,
): Promise<BackupFacts> {
  const { runtime, flags, err } = context;
  const { engine } = await openEngine(readPlace(flags), { runtime, make: false, database: unhurried });
  try {
    if (!(await engine.findProject(project))) throw new CommandFailure(`there is no project '${project}'`);
    return await withDraft(file, async (draft) => {
      requireGoingOn(signal);
      // In another thread, so that this one hears of Ctrl-C; the draft is removed when nobody writes to it any more.
      const files = startBackupThread();
      signal.addEventListener('abort', () => {
        err('What was begun is being removed\n');
        void files.close();
      });
      try {
        const made = Date.now();
        const deleted = new CommandFailure(`the project '${project}' was deleted`);
        await engine.saveProject(project, draft, files).catch((error: unknown) => {
          throw error instanceof ProjectGone || error instanceof StaleSchema ? deleted : error;
        });
        const found = await engine.findProject(project); // after it, as a server does
        if (!found) throw deleted;
        const label = { id: uuidv7(), project: found, made, vitrine: packageJson.version };
        const facts = await files.finish(draft, label);
        requireGoingOn(signal);
        await keepFile(draft, file, manifestOf(facts, 'request', Date.now()));
        return facts;
      } catch (error) {
        requireGoingOn(signal);
        throw error;
      } finally {
        await files.close();
      }
    });
  } finally {
    await engine.close();
  }
}

/** One backup uses few connections. */
export const unhurried = { pool: 4, statementTimeout: 60 * 60_000 };
