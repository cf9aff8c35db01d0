import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readAuth, readChanges } from '../../admin/projects.ts';
import * as define from '../../define.ts';
import { Failure, type Issue, invalid, issuesWithin } from '../../failure.ts';
import { Form } from '../../model/form.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { idPattern, idRule } from '../../model/names.ts';
import { readCollection } from '../../model/read-collection.ts';
import { readJsonObject } from '../../model/read-json.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { type ChangesSettings, defaultAuth } from '../../store/project-record.ts';
import { CommandFailure } from '../command.ts';
import { readTextFile } from '../terminal/files.ts';
import { withoutRenames } from './definition.ts';
import { requireJson } from './require-json.ts';

/** The contents of a definition file, validated as far as possible without the project. */
export interface ProjectFile {
  readonly id: string;
  readonly name?: string;
  readonly auth?: JsonObject;
  readonly changes?: ChangesSettings;
  /** By id, in the order of the file. */
  readonly collections: ReadonlyMap<string, JsonObject>;
}

const moduleEndings = ['.ts', '.mts', '.js', '.mjs'];

export async function readDefinitionFile(path: string, runtime: Runtime): Promise<ProjectFile> {
  const ending = extname(path);
  if (ending !== '.json' && !moduleEndings.includes(ending)) {
    throw new CommandFailure(`${path}: must end with .json, ${moduleEndings.join(', ')}`);
  }
  const raw = ending === '.json' ? await readJson(path) : await readModule(path, runtime);
  try {
    return readProject(raw);
  } catch (error) {
    throw error instanceof Failure ? new CommandFailure(`${path}: ${error.message}`) : error;
  }
}

async function readJson(path: string): Promise<JsonObject> {
  const text = await readTextFile(path);
  requireJson(path, text);
  try {
    return readJsonObject(text, 32, 'The file');
  } catch (error) {
    throw error instanceof Failure ? new CommandFailure(`${path}: ${error.message}`) : error;
  }
}

/** `export default defineProject({…})`, or `export const project = …`. */
async function readModule(path: string, runtime: Runtime): Promise<JsonObject> {
  runtime.provide('vitrine/define', new URL('../../define.ts', import.meta.url), { ...define });
  await readTextFile(path); // reports a missing file in the usual way
  const module = await load(path);
  const project = module.default ?? module.project;
  if (!isJsonObject(project)) {
    throw new CommandFailure(
      `${path}: must export the project, as in 'export default defineProject({ id: …, collections: […] })'`,
    );
  }
  // A module can contain what JSON can't: undefined values are dropped, as in a request.
  return JSON.parse(JSON.stringify(project)) as JsonObject;
}

async function load(path: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(resolve(path)).href);
  } catch (error) {
    throw new CommandFailure(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Also checks what `pull` is about to write. */
export function readProject(raw: JsonObject): ProjectFile {
  const { collections, $schema: _, ...rest } = raw; // $schema is for editors
  const form = new Form(rest, ['id', 'name', 'auth', 'changes', 'collections']);
  const id = form.text('id', { most: 63 });
  if (id !== '' && !idPattern.test(id)) form.fault('id', idRule);
  const name = form.has('name') ? { name: form.text('name') } : {};
  if (form.has('auth')) readAuth(form, defaultAuth, 'file');
  const auth = isJsonObject(raw.auth) ? { auth: raw.auth } : {};
  const changes = form.has('changes') ? { changes: readChanges(form) } : {};
  if (!Array.isArray(collections)) form.fault('collections', 'must be an array of definitions');
  form.done();
  return { id, ...name, ...auth, ...changes, collections: readCollections(collections as readonly Json[]) };
}

/** Reports the errors of all definitions at once. */
function readCollections(list: readonly Json[]): Map<string, JsonObject> {
  const issues: Issue[] = [];
  const read = new Map<string, JsonObject>();
  const ids = new Set(list.map((raw) => (isJsonObject(raw) && typeof raw.id === 'string' ? raw.id : '')));
  list.forEach((raw, index) => {
    const place = `collections[${index}]`;
    try {
      // The limit of fields, and which fields exist already, are checked by the instance.
      const options = { mostFields: Number.POSITIVE_INFINITY, hasField: () => true };
      const { id } = readCollection(isJsonObject(raw) ? withoutRenames(raw) : raw, ids, options);
      if (read.has(id)) issues.push({ at: `${place}.id`, message: `'${id}' is in the file twice` });
      read.set(id, raw as JsonObject);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const named = isJsonObject(raw) && typeof raw.id === 'string' ? raw.id : place;
      issues.push(...issuesWithin(named, error));
    }
  });
  if (issues.length > 0) throw invalid(issues);
  return read;
}
