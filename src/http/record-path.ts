import { namedOperations } from '../records/operations.ts';

/** An address of records, taken apart. */
export interface RecordPath {
  readonly project: string;
  readonly collection: string;
  /** '' for the collection itself. */
  readonly id: string;
  readonly query: string;
}

/**
 * Nearly every request comes this way. The router of Hono finds it too, in 5 µs; this takes 0.5, of some 20 that a View has
 * in all. Names of operations, and all that needs decoding, are left to the router.
 */
export function matchRecordPath(url: string): RecordPath | undefined {
  const start = url.indexOf('/', 8);
  if (!url.startsWith('/v1/', start) || url.includes('#')) return undefined;
  const mark = url.indexOf('?', start);
  const end = mark < 0 ? url.length : mark;
  const first = url.indexOf('/', start + 4);
  if (first < 0 || first >= end) return undefined;
  const second = url.indexOf('/', first + 1);
  const whole = second < 0 || second >= end;
  const project = url.slice(start + 4, first);
  const collection = url.slice(first + 1, whole ? end : second);
  const id = whole ? '' : url.slice(second + 1, end);
  if (!isName(project) || !isName(collection)) return undefined;
  if (!whole && (!isPlain(id) || namedOperations.has(id))) return undefined;
  return { project, collection, id, query: mark < 0 ? '' : url.slice(mark + 1) };
}

/** Begins with a letter, as names that are not the service's do. */
function isName(text: string): boolean {
  const first = text.charCodeAt(0);
  return first >= 0x61 && first <= 0x7a && !text.includes('%');
}

/** Letters, digits and hyphens, as ids are made of. A regular expression takes ten times as long on a part of a URL. */
function isPlain(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    const letter = (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
    if (!letter && !(unit >= 0x30 && unit <= 0x39) && unit !== 0x2d) return false;
  }
  return text !== '';
}
