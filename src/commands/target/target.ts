import type { ToldChange } from '../../catalog/change.ts';
import type { JsonObject } from '../../model/json.ts';

/** An instance that a command works on: a server over HTTP, or a data directory that no server uses. */
export interface Target {
  /** What to call it to a person. */
  readonly place: string;
  findProject(id: string): Promise<JsonObject | undefined>;
  createProject(body: JsonObject): Promise<void>;
  updateProject(id: string, body: JsonObject): Promise<void>;
  /** Their whole definitions. */
  listCollections(project: string): Promise<JsonObject[]>;
  createCollection(project: string, definition: JsonObject): Promise<void>;
  /** What a change would do, without doing it. */
  planChange(project: string, id: string, definition: JsonObject): Promise<ToldChange>;
  changeCollection(project: string, id: string, definition: JsonObject, confirmed: boolean): Promise<void>;
  deleteCollection(project: string, id: string, confirmed: boolean): Promise<void>;
  countRecords(project: string, collection: string): Promise<number>;
  close(): Promise<void>;
}
