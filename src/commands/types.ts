import { existsSync } from 'node:fs';
import { projectTypes } from '../describe/types.ts';
import type { Collection } from '../model/collection.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { readStoredProfile, withoutRenames as withoutProfileRenames } from '../model/profile.ts';
import { readCollection } from '../model/read-collection.ts';
import { apiFlags, withApi } from './api/open-api.ts';
import { listCollections, requireProject } from './api/projects.ts';
import { withoutRenames } from './apply/definition.ts';
import { readDefinitionFile } from './apply/definition-file.ts';
import type { Command, CommandContext } from './command.ts';
import { UsageError } from './flags.ts';
import { counted } from './terminal/colours.ts';
import { readTextFile } from './terminal/files.ts';
import { writeWholeText } from './terminal/whole-file.ts';

const outdated = 3;

export const types: Command = {
  summary: 'Writes the TypeScript types of a project, as vitrine/client takes them',
  usage: ' --project ID --out FILE.ts [--check] [flags]\n DEFINITION --out FILE.ts [--check]',
  optional: ['DEFINITION'],
  flags: {
    project: { kind: 'text', summary: 'The project; without it, that of the definition file' },
    out: { kind: 'text', summary: 'The file to write; without it, the types are printed' },
    check: { kind: 'switch', summary: 'Writes nothing, with exit code 3 where --out is not up to date' },
    ...apiFlags,
  },
  notes: `DEFINITION is a file as vitrine apply takes it: then no server and no data are needed.

Exit codes:
  0  done, or up to date
  1  failed
  2  the command line can't be understood
  3  the file is not up to date (only with --check)`,
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { flags, out, err } = context;
  const [path, check] = [flags.text('out'), flags.on('check')];
  if (check && path === '') throw new UsageError('--check needs --out, the file to compare with');
  const { id, collections, profile } = await readCollections(context);
  const text = projectTypes(id, collections, profile);
  if (check) {
    const current = existsSync(path) ? await readTextFile(path) : '';
    if (current === text) return 0;
    err(`${path}: is not up to date with project ${id}: run vitrine types without --check\n`);
    return outdated;
  }
  if (path === '') out(text);
  else {
    await writeWholeText(path, text);
    err(`${path}: types of ${counted(collections.length, 'collection')} of project ${id}\n`);
  }
  return 0;
}

interface Definitions {
  readonly id: string;
  readonly collections: readonly Collection[];
  readonly profile: Collection;
}

async function readCollections(context: CommandContext): Promise<Definitions> {
  const { flags, runtime } = context;
  const [file, project] = [flags.text('DEFINITION'), flags.text('project')];
  if (file !== '') {
    const { id, collections, auth } = await readDefinitionFile(file, runtime);
    return {
      id: project === '' ? id : project,
      collections: defined([...collections.values()]),
      profile: profileIn(auth),
    };
  }
  if (project === '') throw new UsageError('--project is missing, or a definition file');
  return withApi(context, 'refuse', async (api) => {
    const { auth } = await requireProject(api, project);
    const collections = defined(await listCollections(api.admin, project));
    return { id: project, collections, profile: profileIn(auth) };
  });
}

/** The definitions are not validated further: they may be older than the current rules. */
const options = { mostFields: Number.POSITIVE_INFINITY, hasField: () => true, trustDefaults: true };

function defined(raw: readonly JsonObject[]): Collection[] {
  const ids = new Set(raw.map(({ id }) => String(id)));
  return raw.map((one) => readCollection(withoutRenames(one), ids, options));
}

function profileIn(auth: Json | undefined): Collection {
  const profile = isJsonObject(auth) && isJsonObject(auth.profile) ? auth.profile : {};
  return readStoredProfile(withoutProfileRenames(profile)).collection;
}
