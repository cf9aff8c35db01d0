import assert from 'node:assert/strict';
import postgres from 'postgres';
import type { Json } from '../../src/model/json.ts';
import { pause } from '../support.ts';
import type { Answer, NodeProcess } from './node-process.ts';

export async function made(node: NodeProcess, path: string, body: Json): Promise<Record<string, unknown>> {
  return well(await node.send('POST', path, { body }));
}

/** The result of an answer that is a success. */
export function well({ status, body }: Answer): Record<string, unknown> {
  assert.ok(status < 300, `${status} ${JSON.stringify(body)}`);
  return body.result;
}

/** The answer says to try again, and came in time, but for that in which the machine stood still. */
export function refusedForNow({ status, headers, body, took, held }: Answer): void {
  assert.equal(status, 503, JSON.stringify(body));
  assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.ok(took - held < 10_000, `${took} ms, ${held} of them held up by the machine`);
}

export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patience: number,
): Promise<void> {
  const end = performance.now() + patience;
  while (!(await holds())) {
    assert.ok(performance.now() < end, `not within ${patience} ms: ${what}`);
    await pause(20);
  }
}

/**
 * Does something while another session holds a lock, or whatever the statements are about. `also`: what that session does
 * besides, from then on.
 */
export async function whileHeld<T>(
  database: string,
  statements: string,
  work: (also: (statements: string) => Promise<unknown>) => Promise<T>,
): Promise<T> {
  const holder = postgres(database, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    await holder.unsafe(`BEGIN; ${statements}`).simple();
    return await work((more) => holder.unsafe(more).simple());
  } finally {
    await holder.unsafe('ROLLBACK');
    await holder.end();
  }
}

export async function rowsOf(database: string, query: string): Promise<unknown[][]> {
  const db = postgres(database, { max: 1, fetch_types: false });
  try {
    return [...(await db.unsafe(query).values())];
  } finally {
    await db.end();
  }
}

/** The schema that holds all there is of a project. */
export async function schemaOf(database: string, project = 'p'): Promise<string> {
  const [[number]] = (await rowsOf(database, `SELECT seq FROM vitrine.projects WHERE id = '${project}'`)) as [
    [unknown],
  ];
  return `vitrine_p${number}`;
}

/** What a change of a schema makes on its way in the project `p`: notes of writes, and tables that are nobody's. */
export async function leftovers(database: string): Promise<string[]> {
  const schema = await schemaOf(database);
  const rows = await rowsOf(
    database,
    `SELECT relname::text FROM pg_class
     WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r' AND (
       relname::text ~ '^m[0-9]+$' OR relname::text ~ '^[rspl][0-9]+'
       AND substring(relname::text FROM '[0-9]+')::bigint NOT IN (SELECT key FROM ${schema}.collections))
     UNION ALL SELECT proname::text FROM pg_proc WHERE pronamespace = '${schema}'::regnamespace
     UNION ALL SELECT tgname::text FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
       WHERE relnamespace = '${schema}'::regnamespace AND NOT tgisinternal
     UNION ALL SELECT 'garbage ' || key FROM ${schema}.garbage`,
  );
  return rows.map(([name]) => String(name));
}

/** Tables are dropped some time after nobody needs them. */
export function untilTidy(database: string, patience = 90_000): Promise<void> {
  return until('nothing is left', async () => (await leftovers(database)).length === 0, patience);
}

/** A change of the schema in the project `p` is in the middle of its work. */
export async function untilChanging(database: string): Promise<void> {
  let key: unknown;
  const schema = await schemaOf(database);
  const query = `SELECT max(key) FROM ${schema}.garbage WHERE ready = 0`;
  const begun = async () => {
    [[key]] = (await rowsOf(database, query)) as [[unknown]];
    return key !== null;
  };
  await until('a change has begun', begun, 90_000);
  const some = `SELECT 1 FROM ${schema}.r${key} LIMIT 1`;
  await until('some records are on their way', async () => (await rowsOf(database, some)).length > 0, 90_000);
}

/** Of the texts of a collection: while somebody else has it, no node works in those that wait. */
export const textsLock = (schema: string, key: unknown) => `hashtextextended('${schema} texts ${key}', 0)`;

/** How many texts of a project wait to be indexed for search. */
export async function countPending(database: string, project = 'p'): Promise<number> {
  const schema = await schemaOf(database, project);
  const tables = await rowsOf(
    database,
    `SELECT relname::text FROM pg_class
     WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r' AND relname::text ~ '^p[0-9]+$'`,
  );
  const counts = tables.map(([name]) => `(SELECT count(*) FROM ${schema}.${name})`);
  return Number((await rowsOf(database, `SELECT ${counts.join(' + ')}`))[0]?.[0]);
}
