import { apiFlags, withApi } from './api/open-api.ts';
import { listCollections, requireProject } from './api/projects.ts';
import { writeDefinitionFile } from './apply/write-file.ts';
import type { Command, CommandContext } from './command.ts';
import { UsageError } from './flags.ts';
import { counted } from './terminal/colours.ts';
import { writeWholeText } from './terminal/whole-file.ts';

export const pull: Command = {
  summary: 'Writes the definition file of a project, as vitrine apply takes it',
  usage: ' --project ID [--out FILE] [flags]',
  flags: {
    project: { kind: 'text', summary: 'The project' },
    out: { kind: 'text', summary: 'The file, TypeScript if it ends with .ts; without it, JSON is printed' },
    ...apiFlags,
  },
  notes: 'Applying the file that was written changes nothing.',
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { flags, out, err } = context;
  const [id, path] = [flags.text('project'), flags.text('out')];
  if (id === '') throw new UsageError('--project is missing');
  if (path !== '' && !/\.(json|m?ts)$/.test(path))
    throw new UsageError(`--out must end with .json or .ts, not '${path}'`);
  return withApi(context, 'refuse', async (api) => {
    const project = await requireProject(api, id);
    const collections = await listCollections(api.admin, id);
    const text = writeDefinitionFile(project, collections, path.endsWith('ts') ? 'typescript' : 'json');
    if (path === '') out(text);
    else {
      await writeWholeText(path, text);
      err(`${path}: project ${id} with ${counted(collections.length, 'collection')}\n`);
    }
    return 0;
  });
}
