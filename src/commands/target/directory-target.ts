import {
  changeCollection,
  createCollection,
  deleteCollection,
  listCollections,
} from '../../admin/collections.ts';
import { createProject, updateProject, viewProject } from '../../admin/projects.ts';
import { type Catalog, findCollection } from '../../catalog/catalog.ts';
import type { ToldChange } from '../../catalog/change.ts';
import { Failure } from '../../failure.ts';
import type { Log } from '../../log.ts';
import type { JsonObject } from '../../model/json.ts';
import { CommandFailure } from '../command.ts';
import type { Target } from './target.ts';

/** A data directory that is this process's alone. The same calls as a server makes, without the server. */
export function directoryTarget(catalog: Catalog, log: Log, place: string): Target {
  return {
    place,
    async findProject(id) {
      try {
        return JSON.parse(await viewProject(catalog, id)) as JsonObject;
      } catch (error) {
        if (error instanceof Failure && error.kind === 'absent') return undefined;
        throw error;
      }
    },
    createProject: async (body) => void (await createProject(catalog, body)),
    updateProject: async (id, body) => void (await updateProject(catalog, id, body)),
    async listCollections(project) {
      const found: JsonObject[] = [];
      for (let page = 1; ; page++) {
        const result = JSON.parse(await listCollections(catalog, project, `perPage=1000&page=${page}`));
        found.push(...(result.found as JsonObject[]));
        if (page >= Number(result.totalPages)) return found;
      }
    },
    createCollection: (project, definition) =>
      spoken(async () => void (await createCollection(catalog, project, definition))),
    planChange: (project, id, definition) =>
      spoken(async () => {
        const told = await changeCollection(catalog, log, project, id, definition, 'dryRun=true');
        return JSON.parse(told) as ToldChange;
      }),
    changeCollection: (project, id, definition, confirmed) =>
      spoken(async () => {
        await changeCollection(catalog, log, project, id, definition, confirm(confirmed));
      }),
    deleteCollection: (project, id, confirmed) =>
      spoken(async () => void (await deleteCollection(catalog, project, id, confirm(confirmed)))),
    countRecords: (project, collection) =>
      catalog.use(project, (open) => open.store.countRecords(findCollection(open, collection).ref)),
    close: () => catalog.close(),
  };
}

const confirm = (confirmed: boolean) => (confirmed ? 'confirm=destructive' : '');

/** A refusal in the words of the command line. */
async function spoken<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new CommandFailure(error.message.replaceAll('?confirm=destructive', '--confirm-destructive'));
  }
}
