import { faultCode, isDeadlock } from '../connection/faults.ts';
import type { Pool } from '../connection/pool.ts';
import type { Session } from '../connection/session.ts';
import { briefly } from './lock-tries.ts';

/** Tables dropped per transaction: each takes a lock, and the server's lock table is shared by everybody. */
const atOnce = 20;

const unlimited = { lane: 'write', within: Number.POSITIVE_INFINITY } as const;

/** Milliseconds between attempts while somebody reads the tables: a dump of the database may do so for hours. */
const again = 2_000;

/**
 * Drops everything in a deleted project, now or as soon as nobody reads it. `lockTimeout` goes before each statement: later
 * attempts hold a connection only briefly.
 */
export async function dropSchema(pool: Pool, schema: string, lockTimeout = ''): Promise<void> {
  try {
    await pool.use((session) => drop(session, schema, lockTimeout), unlimited);
  } catch (error) {
    if (faultCode(error) !== '55P03' && !isDeadlock(error)) throw error;
    setTimeout(() => void dropSchema(pool, schema, `${briefly}; `).catch(() => {}), again).unref();
  }
}

/** Drops the schemas of deleted projects whose process died before it had done so. */
export async function dropOrphans(pool: Pool): Promise<void> {
  const { rows } = await pool.use((session) =>
    session.command(`
      SELECT nspname::text FROM pg_catalog.pg_namespace
      WHERE nspname::text ~ '^vitrine_p[0-9]+$'
        AND NOT EXISTS (SELECT 1 FROM vitrine.projects WHERE nspname::text = 'vitrine_p' || seq::text)`),
  );
  for (const [schema] of rows) await dropSchema(pool, String(schema));
}

async function drop(session: Session, schema: string, lockTimeout: string): Promise<void> {
  for (;;) {
    const { rows } = await session.command(
      `SELECT tablename::text FROM pg_catalog.pg_tables WHERE schemaname = '${schema}' LIMIT ${atOnce}`,
    );
    if (rows.length === 0) break;
    const tables = rows.map(([table]) => `${schema}.${table}`).join(', ');
    await session.command(`${lockTimeout}DROP TABLE IF EXISTS ${tables} CASCADE`);
  }
  await session.command(`${lockTimeout}DROP SCHEMA IF EXISTS ${schema} CASCADE`);
}
