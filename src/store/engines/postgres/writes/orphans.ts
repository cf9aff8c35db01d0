import type { Pool } from '../connection/pool.ts';
import type { Session } from '../connection/session.ts';

/** Tables dropped per transaction: each takes a lock, and the server's lock table is shared by everybody. */
const atOnce = 20;

const unlimited = { lane: 'write', within: Number.POSITIVE_INFINITY } as const;

/** Drops everything in a deleted project. */
export async function dropSchema(pool: Pool, seq: number): Promise<void> {
  await pool.use((session) => drop(session, `vitrine_p${seq}`), unlimited);
}

/** Drops the schemas of deleted projects whose process died before it had done so. */
export async function dropOrphans(pool: Pool): Promise<void> {
  await pool.use(async (session) => {
    const { rows } = await session.command(`
      SELECT nspname::text FROM pg_catalog.pg_namespace
      WHERE nspname::text ~ '^vitrine_p[0-9]+$'
        AND NOT EXISTS (SELECT 1 FROM vitrine.projects WHERE nspname::text = 'vitrine_p' || seq::text)`);
    for (const [schema] of rows) await drop(session, String(schema));
  }, unlimited);
}

async function drop(session: Session, schema: string): Promise<void> {
  for (;;) {
    const { rows } = await session.command(
      `SELECT tablename::text FROM pg_catalog.pg_tables WHERE schemaname = '${schema}' LIMIT ${atOnce}`,
    );
    if (rows.length === 0) break;
    const tables = rows.map(([table]) => `${schema}.${table}`).join(', ');
    await session.command(`DROP TABLE IF EXISTS ${tables} CASCADE`);
  }
  await session.command(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
}
