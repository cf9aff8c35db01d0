import { createHash, randomBytes } from 'node:crypto';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/** Keys of rows, by table. */
export type Named = Readonly<Record<string, readonly string[]>>;

/**
 * Where the rows of a project come from. A restore uses it to tell rows that were removed from rows that were never there. A
 * line is the life of a project from when it is made, or restored from a backup, until another takes its place. It is stored
 * among the secrets, which are part of every backup and copy.
 */
export interface History {
  readonly line: string;
  /** The lines that this one continues, the oldest first, each with the moment (in milliseconds since 1970) up to which it does. */
  readonly past: readonly (readonly [line: string, until: number])[];
  /** Lines that the replaced projects knew, each with the moment up to which they knew it. */
  readonly heard: Readonly<Record<string, number>>;
  /** Keys that the replaced projects had until their end and this one does not. A table is missing where there were too many. */
  readonly aside: Named;
}

export async function readHistory(db: Connection): Promise<History> {
  const [stored] = (await db.row(sql`SELECT value FROM ${tables.secrets} WHERE name = ${'history'}`)) ?? [];
  return parseHistory(stored) ?? { line: await firstLine(db), past: [], heard: {}, aside: {} };
}

/** For a project that was never restored. Projects of the same origin have the same secret, and so the same first line. */
async function firstLine(db: Connection): Promise<string> {
  const [secret] = (await db.row(sql`SELECT value FROM ${tables.secrets} WHERE name = ${'signing'}`)) ?? [];
  return createHash('sha256').update(`line of ${secret}`).digest('hex').slice(0, 16);
}

/** undefined: it is not valid. It may come from a file of unknown origin. */
function parseHistory(stored: unknown): History | undefined {
  if (typeof stored !== 'string') return undefined;
  try {
    const { line, past, heard, aside } = JSON.parse(stored) as History;
    const isPast = past.every(([name, until]) => typeof name === 'string' && Number.isFinite(until));
    const isHeard = Object.values(heard).every(Number.isFinite);
    const isAside = Object.values(aside).every((keys) => keys.every((key) => typeof key === 'string'));
    return typeof line === 'string' && isPast && isHeard && isAside
      ? { line, past, heard, aside }
      : undefined;
  } catch {
    return undefined;
  }
}

export async function writeHistory(db: Connection, history: History): Promise<void> {
  await db.run(sql`DELETE FROM ${tables.secrets} WHERE name = ${'history'}`);
  await db.run(
    sql`INSERT INTO ${tables.secrets} (name, value) VALUES (${'history'}, ${JSON.stringify(history)})`,
  );
}

/**
 * Removes a key from `aside`, as the row that has it now is removed: a member may have joined again. It is replaced within the
 * text, which may be too long to parse.
 */
export async function forgetAside(db: Connection, key: string): Promise<void> {
  const left = sql`replace(value, ${JSON.stringify(key)}, '""')`;
  await db.run(
    sql`UPDATE ${tables.secrets} SET value = ${left} WHERE name = ${'history'} AND value <> ${left}`,
  );
}

/** A restored project is as it was at the moment of the backup, where a line of its own begins. */
export async function beginLine(db: Connection, moment: number): Promise<void> {
  const { line, past, ...rest } = await readHistory(db);
  await writeHistory(db, {
    ...rest,
    line: randomBytes(8).toString('hex'),
    past: [...past, [line, moment]],
  });
}

/** Up to which moment a project knew the rows that were made on a line. */
export function knownUntil({ line, past, heard }: History, other: string): number {
  if (other === line) return Number.POSITIVE_INFINITY;
  const untils = past.filter(([name]) => name === other).map(([, until]) => until);
  return Math.max(Number.NEGATIVE_INFINITY, heard[other] ?? Number.NEGATIVE_INFINITY, ...untils);
}

/**
 * The line on which a row of a restored backup was made. A row that is newer than the moment of the backup was written while
 * the backup began, so it belongs to the last line before.
 */
export function lineAt({ line, past }: History, created: number): string {
  const of = past.find(([, until]) => created <= until) ?? past.at(-1);
  return of?.[0] ?? line;
}

/** The moment of the backup that was just restored. */
export const momentOf = ({ past }: History): number => past.at(-1)?.[1] ?? 0;

/** All lines that a project knew, which ends now. */
export function allKnown({ line, past, heard }: History, now: number): Record<string, number> {
  const known: Record<string, number> = { ...heard };
  for (const [name, until] of [...past, [line, now] as const])
    known[name] = Math.max(known[name] ?? until, until);
  return known;
}
