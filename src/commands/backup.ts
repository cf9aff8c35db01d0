import { v7 as uuidv7 } from 'uuid';
import type { Backup } from '../../client/admin.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { manifestOf } from '../backups/manifest.ts';
import { localBackupFiles } from '../store/engines/sqlite/backup/local-backup-files.ts';
import { ProjectGone } from '../store/schema.ts';
import { type Api, apiFlags, openServer, refusedBy } from './api/open-api.ts';
import { downloadTo, keepFile, openDraft } from './backup/file.ts';
import { type Command, type CommandContext, CommandFailure } from './command.ts';
import { openEngine } from './engine/open-engine.ts';
import { readPlace } from './engine/place.ts';
import { UsageError } from './flags.ts';
import { counted } from './terminal/colours.ts';

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

interface Written {
  readonly records: number;
  readonly bytes: number;
  readonly checksum: string;
}

async function run(context: CommandContext): Promise<number> {
  const { flags, out } = context;
  const [project, file] = [flags.text('PROJECT'), flags.text('to')];
  if (file === '') throw new UsageError('--to is missing: the file of the backup');
  const server = openServer(context);
  const { records, bytes, checksum } = server
    ? await refusedBy(server, () => fromServer(server, project, file))
    : await fromStorage(context, project, file);
  out(
    `Wrote ${project} to ${file}: ${counted(records, 'record')}, ${counted(bytes, 'byte')}, SHA-256 ${checksum}\n`,
  );
  return 0;
}

/** Made by the server, fetched, and not kept there. */
async function fromServer({ admin, download }: Api, project: string, file: string): Promise<Written> {
  let made: Backup = await admin.project(project).backup();
  while (made.status === 'running') {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    made = await admin.backups.view(made._id);
  }
  if (made.status === 'failed') throw new CommandFailure(`the server could not make it: ${made.error}`);
  const { _id, _createdAt, records = 0, bytes = 0, checksum = '' } = made;
  const draft = await openDraft(file);
  await downloadTo(draft, await download(`/v1/_admin/backups/${_id}/file`), checksum);
  await keepFile(draft, file, { _id, project, _createdAt, records, bytes, checksum });
  await admin.backups.delete(_id);
  return { records, bytes, checksum };
}

async function fromStorage(context: CommandContext, project: string, file: string): Promise<Written> {
  const { runtime, flags } = context;
  const { engine } = await openEngine(readPlace(flags), { runtime, make: false, database: unhurried });
  try {
    const found = await engine.findProject(project);
    if (!found) throw new CommandFailure(`there is no project '${project}'`);
    const files = localBackupFiles(runtime.sqlite);
    const draft = await openDraft(file);
    const made = Date.now();
    await engine.saveProject(project, draft, files).catch((error: unknown) => {
      throw error instanceof ProjectGone ? new CommandFailure(`the project '${project}' was deleted`) : error;
    });
    const label = { id: uuidv7(), project: found, made, vitrine: packageJson.version };
    const facts = await files.finish(draft, label);
    await keepFile(draft, file, manifestOf(facts, 'request', Date.now()));
    return facts;
  } finally {
    await engine.close();
  }
}

/** One backup uses few connections. */
export const unhurried = { pool: 4, statementTimeout: 60 * 60_000 };
