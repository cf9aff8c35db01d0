import type { Scope } from '../../../../access/scope.ts';
import type { Awaitable } from '../../../../awaitable.ts';
import { Lru, remember } from '../../../cache.ts';
import type { StoredCollection } from '../../../schema.ts';
import type { Connection, SearchText } from '../../../sql/dialect.ts';
import { join, raw, type Sql, sql } from '../../../sql/tag.ts';
import type { ReadsAtOnce } from './reads-at-once.ts';

/**
 * An index of words and parts of words. For every position in a word the full-text table holds a token: the letters from
 * there on, up to eight. A part of a word is then a prefix of a token, even if it is a single letter or CJK, and the cost
 * of a selective one depends on what it finds; the lists of trigrams grow with the collection, however rare the word.
 *
 * Making tokens takes 20 to 80 µs per record, as long as the rest of an insert or longer, so it is deferred: a record's
 * folded text is written along with it, and its seq recorded as pending. Pending records are searched by scanning their
 * text, and indexed in batches soon after.
 */
const tokenLength = 8;
const mostPerWord = 4;

/** Characters of a text that is indexed: longer ones are searched by scanning. */
const longestIndexed = 20_000;
/** Pending records whose texts are in memory at a time. */
const readAtOnce = 20;

// The CROSS JOINs below keep SQLite from scanning all texts to find the few pending ones.
export const textTable = (key: number) => raw(`s${key}`);
const pendingTable = (key: number) => raw(`p${key}`);
const tokenTable = (key: number) => raw(`t${key}`);

export function createSearchTables(db: Connection, key: number): Awaitable<void> {
  return db.exec(`
    CREATE TABLE s${key} (seq INTEGER PRIMARY KEY, text TEXT NOT NULL);
    CREATE TABLE p${key} (seq INTEGER PRIMARY KEY, long INTEGER NOT NULL);
    CREATE VIRTUAL TABLE t${key}
      USING fts5(tokens, tokenize = 'ascii', content = '', contentless_delete = 1, detail = none);
  `);
}

/** For a collection that gets a new key while every record keeps its text. */
export async function renameSearchTables(db: Connection, from: number, to: number): Promise<void> {
  for (const letter of ['s', 'p', 't']) {
    await db.exec(`DROP TABLE ${letter}${to}; ALTER TABLE ${letter}${from} RENAME TO ${letter}${to};`);
  }
}

/**
 * Matches the records in which all of the folded words occur. The index finds the records that have what it knows of each word;
 * if that is not all of it (phrases, punctuation, more than eight letters) the text is examined.
 */
export function searchCondition(collection: StoredCollection, words: readonly string[], scope: Scope): Sql {
  // The index covers everybody's records: its timing would reveal words that occur only in records of others.
  if (scope.kind !== 'all') return textCondition(collection, words);
  const { key } = collection;
  const query = prefixesOf(words)
    .map((prefix) => `"${prefix}"*`)
    .join(' AND ');
  const unsure = words.filter((word) => inexact.test(word) || [...word].length > tokenLength);
  const occurs = join(
    words.map((word) => sql`instr(text, ${word}) > 0`),
    ' AND ',
  );
  const found = sql`
    seq IN (
      SELECT rowid FROM ${tokenTable(key)} WHERE ${tokenTable(key)} MATCH ${query}
      UNION ALL
      SELECT seq FROM ${pendingTable(key)} CROSS JOIN ${textTable(key)} USING (seq) WHERE ${occurs}
    )`;
  return unsure.length === 0 ? found : sql`${found} AND ${textCondition(collection, unsure)}`;
}

/** In the index, punctuation can't be told from the private-use characters that stand for it. */
const inexact = /[^a-z0-9\u0080-\u{10ffff}]|[\s\ue000-\ue07f]/u;

/** The same by looking at each record's text. */
export function textCondition({ key }: StoredCollection, words: readonly string[]): Sql {
  const checks = words.map(
    (word) =>
      sql`(SELECT instr(text, ${word}) FROM ${textTable(key)} AS s WHERE s.seq = ${outerSeq(key)}) > 0`,
  );
  return join(checks, ' AND ');
}

const outerSeq = (key: number) => raw(`r${key}.seq`);

/** Prefixes of tokens that every record has in which the words occur. */
function prefixesOf(words: readonly string[]): string[] {
  const parts = new Set(words.flatMap((word) => word.split(/\s+/)).filter((part) => part !== ''));
  return [...parts].flatMap(prefixesOfWord);
}

/** A longer word is found by its first letters, the following ones and its last: many words begin alike. */
function prefixesOfWord(word: string): string[] {
  const letters = [...encode(word)];
  const last = Math.max(0, letters.length - tokenLength);
  const starts = [last];
  for (let start = 0; start < last && starts.length < mostPerWord; start += tokenLength) starts.push(start);
  return starts.map((start) => letters.slice(start, start + tokenLength).join(''));
}

/**
 * The sequence numbers of all records that may have the words, found by a prefix that few records have; undefined if there is
 * none. Counts only as far as needed: looking up a prefix that all of a million records have takes a second.
 */
export function rareMatches(
  db: ReadsAtOnce,
  key: number,
  words: readonly string[],
  most: number,
): number[] | undefined {
  const pending = db.rows(sql`SELECT seq FROM ${pendingTable(key)} LIMIT ${most + 1}`);
  if (pending.length > most) return undefined;
  makeVocabulary(db, key);
  const rare = prefixesOf(words).find((prefix) => {
    const rows = sql`
      SELECT 1 FROM ${raw(`temp.${vocabulary(key)}`)} WHERE term >= ${prefix} AND term < ${`${prefix}\u{10ffff}`} LIMIT ${most + 1}`;
    return Number(db.row(sql`SELECT count(*) FROM (${rows})`)?.[0]) <= most;
  });
  if (rare === undefined) return undefined;
  const found = db.rows(
    sql`SELECT rowid FROM ${tokenTable(key)} WHERE ${tokenTable(key)} MATCH ${`"${rare}"*`}`,
  );
  return [...found, ...pending].map(([seq]) => Number(seq));
}

const vocabulary = (key: number) => `v${key}`;

/** Once per connection: setting the pragma has all of its statements prepared anew, which took a quarter of a search. */
function makeVocabulary(db: ReadsAtOnce, key: number): void {
  if (db.row(sql`SELECT 1 FROM temp.sqlite_schema WHERE name = ${vocabulary(key)}`)) return;
  // The table is temporary, but can't be created while the connection is read-only.
  db.exec(`PRAGMA query_only = OFF;
    CREATE VIRTUAL TABLE temp.${vocabulary(key)} USING fts5vocab(main, t${key}, instance);
    PRAGMA query_only = ON;`);
}

/** The tokenizer splits text at ASCII punctuation; moved to the private-use area it is like any letter. */
function encode(text: string): string {
  return text.replace(/[^a-z0-9\s\u0080-\u{10ffff}]/gu, (sign) =>
    String.fromCharCode(0xe000 + sign.charCodeAt(0)),
  );
}

/** Characters from which on a text has so many words twice that it pays to look for them: each takes 0.15 µs, a token 0.1. */
const repetitive = 400;

/** A token may come twice, which the index does not mind; to keep each once took three times as long as all of this. */
function tokensOf(text: string): string {
  const words = encode(text).split(/\s+/);
  const lettersOf = /[\ud800-\udbff]/.test(text) ? (word: string) => [...word] : undefined;
  let tokens = '';
  for (const word of text.length < repetitive ? words : new Set(words)) {
    const letters = lettersOf?.(word);
    const length = letters?.length ?? word.length;
    for (let start = 0; start < length; start++) {
      const end = start + tokenLength;
      tokens += `${letters ? letters.slice(start, end).join('') : word.slice(start, end)} `;
    }
  }
  return tokens;
}

/**
 * The statements that add a text, by the key of the collection: composing them for each record showed up in the profile of an
 * import.
 */
const additions = new Lru<number, { readonly text: Sql; readonly pending: Sql }>({ most: 1_000 });

export function addSearchTexts(db: Connection, key: number, texts: readonly SearchText[]): void {
  const addition = remember(additions, key, () => ({
    text: sql`INSERT INTO ${textTable(key)} (seq, text) VALUES (${0}, ${''})`,
    pending: sql`INSERT INTO ${pendingTable(key)} (seq, long) VALUES (${0}, ${0})`,
  }));
  for (const { seq, text } of texts) {
    void db.run({ ...addition.text, values: [seq, text] });
    void db.run({ ...addition.pending, values: [seq, text.length > longestIndexed ? 1 : 0] });
  }
}

export async function removeSearchText(db: Connection, key: number, seq: number): Promise<void> {
  if ((await db.run(sql`DELETE FROM ${textTable(key)} WHERE seq = ${seq}`)) === 0) return;
  const pending = (await db.run(sql`DELETE FROM ${pendingTable(key)} WHERE seq = ${seq}`)) > 0;
  if (!pending) await db.run(sql`DELETE FROM ${tokenTable(key)} WHERE rowid = ${seq}`);
}

/**
 * Indexes pending records while there is time left, at least one. Returns the distance from the last one indexed to the last
 * one pending. What it adds is a separate segment of the index until `mergeTokens`.
 */
export async function indexPending(db: Connection, key: number, isTimeLeft: () => boolean): Promise<number> {
  await neverMergeAtOnce(db, key);
  let last = 0; // long ones stay pending, and must not be read again and again
  for (;;) {
    const pending = await db.rows(sql`
      SELECT seq, text FROM ${pendingTable(key)} CROSS JOIN ${textTable(key)} USING (seq)
      WHERE seq > ${last} AND long = 0 LIMIT ${readAtOnce}`);
    for (const [seq, text] of pending) {
      last = Number(seq);
      await indexText(db, key, last, String(text));
      if (!isTimeLeft()) return distanceToLast(db, key, last);
    }
    if (pending.length < readAtOnce) return 0;
  }
}

async function indexText(db: Connection, key: number, seq: number, text: string): Promise<void> {
  await db.run(sql`INSERT INTO ${tokenTable(key)} (rowid, tokens) VALUES (${seq}, ${tokensOf(text)})`);
  await db.run(sql`DELETE FROM ${pendingTable(key)} WHERE seq = ${seq}`);
}

async function distanceToLast(db: Connection, key: number, seq: number): Promise<number> {
  const [last] = (await db.row(sql`SELECT max(seq) FROM ${pendingTable(key)}`)) ?? [];
  return Math.max(0, Number(last) - seq);
}

/** Otherwise a commit now and then merges as many segments of the index as it finds, which took 50 ms next to large records. */
async function neverMergeAtOnce(db: Connection, key: number): Promise<void> {
  const set = await db.row(sql`SELECT v FROM ${raw(`t${key}_config`)} WHERE k = 'automerge'`);
  if (Number(set?.[0] ?? 1) !== 0) await command(db, key, 'automerge', 0);
}

/** Pages of the index merged in one step, in some three milliseconds. */
const mergedAtOnce = 32;

/** Continues merging segments of the index, each of which every search has to read. Returns whether there was anything to do. */
export async function mergeTokens(db: Connection, key: number): Promise<boolean> {
  const changes = async () => Number((await db.row(sql`SELECT total_changes()`))?.[0]);
  const before = await changes();
  await command(db, key, 'merge', mergedAtOnce);
  return (await changes()) - before > 1; // the command itself counts as one
}

/** The number is part of the text: Node binds every number as a float, which these commands reject. */
async function command(
  db: Connection,
  key: number,
  name: 'automerge' | 'merge',
  value: number,
): Promise<void> {
  const table = tokenTable(key);
  await db.run(sql`INSERT INTO ${table} (${table}, rank) VALUES (${name}, ${raw(String(value))})`);
}
