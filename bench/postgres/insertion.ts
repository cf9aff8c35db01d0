import postgres from 'postgres';
import { call } from '../http.ts';
import type { Write } from '../server.ts';
import { freshNumbers } from '../wrk.ts';
import type { Statement } from './statements.ts';

const table = 'bench_insertions';

/**
 * One record as one INSERT, into a copy of the product's table with all its rows and indexes. The row is one that the
 * product made of the same body. No foreign key, no row for search, no counters: those are the product's own expense.
 */
export async function insertionOf(url: string, base: string, { paths, body }: Write): Promise<Statement> {
  const digits = String(freshNumbers()).padStart(10, '0');
  const record = JSON.parse(body.replace('{n}', digits)) as Record<string, unknown>;
  const { result } = await call<{ result: { _id: string } }>(base, 'POST', paths[0] ?? '', record);
  const db = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const [place] = await db`SELECT seq FROM vitrine.projects WHERE id = 'bench'`;
    const schema = `vitrine_p${place?.seq}`;
    const [found] = await db.unsafe(`SELECT key FROM ${schema}.collections WHERE id = 'products'`);
    const origin = `${schema}.r${found?.key}`;
    await db.unsafe(`CREATE TABLE ${table} (LIKE ${origin} INCLUDING ALL)`);
    await db.unsafe(`INSERT INTO ${table} SELECT * FROM ${origin}`);
    await db.unsafe(`VACUUM (ANALYZE) ${table}`);
    const [row] = await db.unsafe<Record<string, string | number | null>[]>(
      `SELECT * FROM ${table} WHERE id = $1`,
      [result._id],
    );
    const names = Object.keys(row ?? {});
    const template = `${result._id.slice(0, -10)}XXXXXXXXXX`;
    const values = names.map((name) => {
      const value = row?.[name] ?? null;
      if (name === 'seq') return '#';
      if (typeof value !== 'string') return value;
      return value.replaceAll(digits, 'XXXXXXXXXX').replaceAll(result._id, template);
    });
    const places = names.map((_, index) => `$${index + 1}`);
    return { text: `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`, values };
  } finally {
    await db.end({ timeout: 5 });
  }
}
