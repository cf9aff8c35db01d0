import { type Admin, VitrineError } from '../../../client/admin.ts';
import type { JsonObject } from '../../model/json.ts';
import { CommandFailure } from '../command.ts';
import type { Api } from './open-api.ts';

export async function findProject(admin: Admin, id: string): Promise<JsonObject | undefined> {
  try {
    return (await admin.projects.view(id)) as unknown as JsonObject;
  } catch (error) {
    if (!(error instanceof VitrineError && error.status === 404)) throw error;
    // An address below that of the server, or of another one, has nothing at all there.
    if (error.message.startsWith('There is no project')) return undefined;
    throw new CommandFailure(`the server has no management there: ${error.message}`);
  }
}

export async function requireProject({ admin, name }: Api, id: string): Promise<JsonObject> {
  const project = await findProject(admin, id);
  if (!project) throw new CommandFailure(`there is no project '${id}' in ${name}`);
  return project;
}

/** The full definitions of all collections. */
export async function listCollections(admin: Admin, project: string): Promise<JsonObject[]> {
  const found: JsonObject[] = [];
  for (let page = 1; ; page++) {
    const list = await admin.project(project).collections.list({ page, perPage: 1000 });
    for (const definition of list.found) found.push(definition as unknown as JsonObject);
    if (page >= list.totalPages) return found;
  }
}
