import { writeFile } from 'node:fs/promises';
import { writeDefinitionFile } from './apply/write-file.ts';
import { type Command, type CommandContext, CommandFailure } from './command.ts';
import { UsageError } from './flags.ts';
import { openTarget, targetFlags } from './target/open-target.ts';

export const pull: Command = {
  summary: 'Writes the definition file of a project, as vitrine apply takes it',
  usage: ' --project ID [--out FILE] [flags]',
  flags: {
    project: { kind: 'text', summary: 'The project' },
    out: { kind: 'text', summary: 'The file, TypeScript if it ends with .ts; without it, JSON is printed' },
    ...targetFlags,
  },
  notes: 'To apply the file right after has nothing to do.',
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { flags, out, err } = context;
  const [id, path] = [flags.text('project'), flags.text('out')];
  if (id === '') throw new UsageError('--project is missing');
  if (path !== '' && !/\.(json|m?ts)$/.test(path))
    throw new UsageError(`--out must end with .json or .ts, not '${path}'`);
  const target = await openTarget(context, 'refuse');
  try {
    const project = await target.findProject(id);
    if (!project) throw new CommandFailure(`there is no project '${id}' in ${target.place}`);
    const collections = await target.listCollections(id);
    const text = writeDefinitionFile(project, collections, path.endsWith('ts') ? 'typescript' : 'json');
    if (path === '') out(text);
    else await writeFile(path, text);
    if (path !== '') err(`${path}: project ${id} with ${collections.length} collections\n`);
    return 0;
  } finally {
    await target.close();
  }
}
