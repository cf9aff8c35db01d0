import { createHash, randomBytes } from 'node:crypto';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/** Keys by what they name. */
export type Named = Readonly<Record<string, readonly string[]>>;

/**
 * Where the rows of a project come from. A line is what one project was from when it was made until another took its place;
 * whoever restores a backup begins a new one. It stands among the secrets, which go along with every backup and copy.
 */
export interface History {
  readonly line: string;
  /** The lines before it, the oldest first, and the moment (in milliseconds since 1970) up to which each is its past. */
  readonly past: readonly (readonly [line: string, until: number])[];
  /** Lines of the projects that it took the place of, which it has heard of up to a moment. */
  readonly heard: Readonly<Record<string, number>>;
  /** What was in these to the end, and did not come along; nothing where it was too much to be noted. */
  readonly aside: Named;
}

export async function readHistory(db: Connection): Promise<History> {
  const [stored] = (await db.row(sql`SELECT value FROM ${tables.secrets} WHERE name = ${'history'}`)) ?? [];
  return parseHistory(stored) ?? { line: await firstLine(db), past: [], heard: {}, aside: {} };
}

/** Of a project that was not restored since there are lines. Two that have one origin have one secret. */
async function firstLine(db: Connection): Promise<string> {
  const [secret] = (await db.row(sql`SELECT value FROM ${tables.secrets} WHERE name = ${'signing'}`)) ?? [];
  return createHash('sha256').update(`line of ${secret}`).digest('hex').slice(0, 16);
}

/** undefined: it is none. It may stand in a file that comes from anywhere. */
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
 * What bears the name of something that was set aside is removed now, as a member may be who joined once more: it was not there to the
 * end. The text is not read for it, as it may be long.
 */
export async function forgetAside(db: Connection, key: string): Promise<void> {
  const left = sql`replace(value, ${JSON.stringify(key)}, '""')`;
  await db.run(
    sql`UPDATE ${tables.secrets} SET value = ${left} WHERE name = ${'history'} AND value <> ${left}`,
  );
}

/** What was restored is as the project was at a moment, and goes on in its own way. */
export async function beginLine(db: Connection, moment: number): Promise<void> {
  const { line, past, ...rest } = await readHistory(db);
  await writeHistory(db, {
    ...rest,
    line: randomBytes(8).toString('hex'),
    past: [...past, [line, moment]],
  });
}

/** Up to which moment what was made on a line was known in a project. */
export function knownUntil({ line, past, heard }: History, other: string): number {
  if (other === line) return Number.POSITIVE_INFINITY;
  const untils = past.filter(([name]) => name === other).map(([, until]) => until);
  return Math.max(Number.NEGATIVE_INFINITY, heard[other] ?? Number.NEGATIVE_INFINITY, ...untils);
}

/**
 * On which of its lines something was made that is in a backup which was just restored. What is newer than its moment was made while it
 * was begun: nothing was made since.
 */
export function lineAt({ line, past }: History, created: number): string {
  const of = past.find(([, until]) => created <= until) ?? past.at(-1);
  return of?.[0] ?? line;
}

/** The moment of the backup that was just restored. */
export const momentOf = ({ past }: History): number => past.at(-1)?.[1] ?? 0;

/** All lines that were known in a project whose end is now. */
export function allKnown({ line, past, heard }: History, now: number): Record<string, number> {
  const known: Record<string, number> = { ...heard };
  for (const [name, until] of [...past, [line, now] as const])
    known[name] = Math.max(known[name] ?? until, until);
  return known;
}
