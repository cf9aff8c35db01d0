import { Failure } from '../failure.ts';
import { tagOfJson } from '../store/record-tag.ts';
import type { StoredCollection } from '../store/schema.ts';
import type { Answer, Ask } from './ask.ts';

const longestHeader = 4_096;

/** A tag may hold commas, so a list of them can't just be split. */
const tag = /\*|(?:W\/)?"[!\x23-\x7e]*"/g;

/** A record under `result`, with the ETag that conditional requests name. */
export function recordAnswer(status: 200 | 201, collection: StoredCollection, json: string): Answer {
  return { status, result: json, headers: { etag: tagOfJson(collection, json) } };
}

/** The tags a change is bound to by If-Match; undefined for none, also for `*`, as the record must be there anyway. */
export function readIfMatch(ask: Ask): { ifMatch?: string[] } {
  const named = readTags(ask, 'if-match');
  return named === undefined || named.includes('*') ? {} : { ifMatch: named };
}

/** Whether the caller has this version of the record already. W/ makes no difference here. */
export function isKnown(ask: Pick<Ask, 'header'>, etag: string): boolean {
  const named = readTags(ask, 'if-none-match') ?? [];
  return named.some((known) => known === '*' || known.replace(/^W\//, '') === etag);
}

function readTags(ask: Pick<Ask, 'header'>, name: string): string[] | undefined {
  const header = ask.header(name);
  if (header === null) return undefined;
  const tags = header.length > longestHeader ? [] : (header.match(tag) ?? []);
  const between = header
    .replace(tag, 'T')
    .split(',')
    .map((part) => part.trim());
  if (tags.length > 0 && between.every((part) => part === 'T' || part === '')) return tags;
  throw new Failure(
    'invalid',
    `${name}: must be the ETag of a record as it was answered, in its quotes, or *`,
  );
}
