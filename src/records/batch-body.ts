import type { Project } from '../catalog/project.ts';
import { requireCollection } from '../catalog/require-collection.ts';
import { Failure, Issues, within } from '../failure.ts';
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { refuseUnknownKeys } from '../model/unknown-keys.ts';
import type { StoredCollection } from '../store/schema.ts';
import type { PartMethod } from './batch-access.ts';

/** One operation of a batch as it was sent; `place` names it: `create[3]`. */
export interface Part {
  readonly method: PartMethod;
  readonly place: string;
  readonly collection: StoredCollection;
  readonly id: string;
  readonly data: JsonObject;
}

/** `{"create": [{…}], "update": [{"_id": "…", …}], "delete": ["…"]}`, run in this order. */
export function readCollectionBatch(body: JsonObject, collection: StoredCollection, most: number): Part[] {
  const issues = new Issues();
  refuseUnknown(body, ['create', 'update', 'delete'], '', issues);
  refuseLong(Object.values(body), most);
  const items = (method: Part['method']): readonly Json[] => {
    const list = body[method] ?? [];
    if (!Array.isArray(list)) issues.note(method, 'must be an array');
    return Array.isArray(list) ? list : [];
  };
  const parts = [
    ...items('create').map((item, index) => {
      const place = `create[${index}]`;
      return { method: 'create', place, collection, id: '', data: objectAt(item, place, issues) } as const;
    }),
    ...items('update').map((item, index) => {
      const place = `update[${index}]`;
      const { _id, ...data } = objectAt(item, place, issues);
      return { method: 'update', place, collection, id: idAt(_id, `${place}._id`, issues), data } as const;
    }),
    ...items('delete').map((item, index) => {
      const place = `delete[${index}]`;
      return { method: 'delete', place, collection, id: idAt(item, place, issues), data: {} } as const;
    }),
  ];
  return checked(parts, issues);
}

/** `{"operations": [{"method": "create", "collection": "…", "data": {…}}, …]}`, run in the order sent. */
export function readProjectBatch(body: JsonObject, project: Project, most: number): Part[] {
  const issues = new Issues();
  refuseUnknown(body, ['operations'], '', issues);
  const operations = body.operations;
  if (!Array.isArray(operations)) {
    issues.note('operations', 'must be an array');
    return checked([], issues);
  }
  refuseLong([operations], most);
  const parts = operations.map((item: Json, index): Part | undefined => {
    const place = `operations[${index}]`;
    const { method, collection, id, data, ...rest } = objectAt(item, place, issues);
    refuseUnknown(rest, ['method', 'collection', 'id', 'data'], `${place}.`, issues);
    if (method !== 'create' && method !== 'update' && method !== 'delete') {
      issues.note(`${place}.method`, 'must be one of create, update, delete');
      return undefined;
    }
    if (typeof collection !== 'string') {
      issues.note(`${place}.collection`, 'must be the id of a collection');
      return undefined;
    }
    if (method === 'create' && id !== undefined) issues.note(`${place}.id`, 'is given by the service');
    if (method === 'delete' && data !== undefined) issues.note(`${place}.data`, 'does not go with delete');
    return {
      method,
      place,
      collection: requireIn(project, collection, place),
      id: method === 'create' ? '' : idAt(id, `${place}.id`, issues),
      data: method === 'delete' ? {} : objectAt(data ?? null, `${place}.data`, issues),
    };
  });
  return checked(
    parts.filter((part) => part !== undefined),
    issues,
  );
}

/** Called before the items are processed: a body of 16 MiB can hold millions of them. */
function refuseLong(lists: readonly (Json | undefined)[], most: number): void {
  const count = lists.reduce((sum: number, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
  if (count <= most) return;
  throw new Failure('invalid', `A batch has at most ${most} operations, not ${count}: send several`);
}

function checked(parts: Part[], issues: Issues): Part[] {
  issues.done();
  return parts;
}

function requireIn(project: Project, id: string, place: string): StoredCollection {
  try {
    return requireCollection(project, id);
  } catch (error) {
    throw error instanceof Failure ? within(place, error) : error;
  }
}

function objectAt(value: Json | undefined, at: string, issues: Issues): JsonObject {
  if (isJsonObject(value)) return value;
  issues.note(at, 'must be an object');
  return {};
}

function idAt(value: Json | undefined, at: string, issues: Issues): string {
  if (typeof value === 'string') return value;
  issues.note(at, 'must be the _id of a record');
  return '';
}

function refuseUnknown(body: JsonObject, known: readonly string[], at: string, issues: Issues): void {
  refuseUnknownKeys(
    body,
    known,
    at,
    (key, message) => issues.note(key, message),
    () => issues.full,
  );
}
