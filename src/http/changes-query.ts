import type { Caller } from '../access/caller.ts';
import type { Project } from '../catalog/project.ts';
import { readPosition } from '../changes/position.ts';
import { maySeeBinding, Query, readFields } from '../query/query.ts';
import { readQueryString } from '../query/query-string.ts';
import type { ChangesPlan } from '../store/changes.ts';
import type { StoredCollection } from '../store/schema.ts';
import type { Incoming } from './route.ts';
import type { Services } from './services.ts';

export interface ChangesQuery {
  readonly after: ChangesPlan['after'] | 'now';
  readonly limit: number;
  /** Milliseconds. */
  readonly wait: number;
  readonly collections: readonly string[] | undefined;
  readonly fields: readonly string[] | undefined;
}

const defaultPage = 100;
const longestWait = 60;
const parameters = ['after', 'perPage', 'wait', 'ticket'];

/** Reads the query. `Last-Event-ID`, which a browser sends when it reconnects, takes precedence over `after`. */
export function readChangesQuery(
  { limits }: Services,
  { request, query: text }: Incoming,
  { cipher }: Project,
  caller: Caller,
  collection: StoredCollection | undefined,
): ChangesQuery {
  const query = new Query(readQueryString(text));
  const last = request.headers.get('last-event-id');
  const sent = query.take('after') ?? '';
  query.take('ticket');
  const limit = query.takeNumber(
    'perPage',
    Math.min(defaultPage, limits.records.perPage),
    limits.records.perPage,
  );
  const wait = readWait(query);
  const fields = collection && readFieldsOf(query, caller, collection);
  const collections = collection ? undefined : query.takeNames('collections');
  query.refuseRest([...parameters, collection ? 'fields' : 'collections']);
  query.done();
  const [position, at] = last ? [last, 'Last-Event-ID'] : [sent, 'after'];
  const after = readAfter(position, () => readPosition(cipher, caller, position, at));
  return { after, limit, wait, collections, fields };
}

function readAfter(text: string, read: () => ChangesQuery['after']): ChangesQuery['after'] {
  if (text === '') return 'oldest';
  return text === 'now' ? 'now' : read();
}

function readWait(query: Query): number {
  const text = query.take('wait');
  if (text === undefined) return 0;
  const seconds = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= longestWait))
    query.fault('wait', `must be a whole number of seconds from 0 to ${longestWait}, not '${text}'`);
  return seconds * 1_000;
}

function readFieldsOf(
  query: Query,
  caller: Caller,
  { definition }: StoredCollection,
): readonly string[] | undefined {
  return readFields(query, definition, maySeeBinding(caller, definition, 'viewAll'));
}
