import { Failure } from '../failure.ts';
import { tagOfJson } from '../store/record-tag.ts';
import type { StoredCollection } from '../store/schema.ts';
import type { Answer, Ask } from './ask.ts';

const longestHeader = 4_096;

/** A tag may contain commas, so a list of tags can't just be split. */
const tag = /\*|(?:W\/)?"[!\x23-\x7e]*"/g;

/** An answer with a record, and with its ETag for conditional requests. */
export function recordAnswer(status: 200 | 201, collection: StoredCollection, json: string): Answer {
  return { status, result: json, etag: tagOfJson(collection, json) };
}

/** The tags of If-Match; none without the header, and for `*`, because the record must exist anyway. */
export function readIfMatch(ask: Ask): { ifMatch?: string[] } {
  const named = readTags(ask, 'if-match');
  return named === undefined || named.includes('*') ? {} : { ifMatch: named };
}

/** Whether the caller already has this version of the record. W/ is ignored here. */
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
