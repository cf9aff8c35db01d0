import { Database } from 'bun:sqlite';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { root, start, temporary } from '../children.ts';
import { makeItems } from '../dataset.ts';
import { atLeast, importGoal } from '../goals.ts';
import type { Fact } from '../report.ts';
import { fill, withBrand } from '../servers/filling.ts';
import { launch } from '../servers/launch.ts';
import { median } from '../wrk.ts';

const perTransaction = 1_000;

/** How fast `vitrine import` takes a file into a directory, beside SQLite that is given the same rows. */
export async function measureImport({
  records,
  rounds,
}: {
  records: number;
  rounds: number;
}): Promise<Fact[]> {
  const mine: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const directory = temporary('import');
    const file = join(directory, 'records.ndjson');
    await writeFile(file, records, await prepare(directory));
    mine.push(records / (await importFile(directory, file)));
    bare.push(records / insertRows(join(directory, 'projects', 'bench.db')));
  }
  const value = median(mine);
  const floor = median(bare);
  const fact = { work: 'import', unit: 'records/s' };
  return [
    { ...fact, what: 'from a file', value, verdict: atLeast(value / floor, importGoal, 'of bare SQLite') },
    { ...fact, what: 'bare SQLite, same rows and indexes', value: floor },
  ];
}

/** Makes the project and its brands, whose ids it gives back. */
async function prepare(directory: string): Promise<readonly string[]> {
  const { child, base } = await launch(['--data', directory]);
  const { brandIds } = await fill(base, 0);
  await child.stop();
  return brandIds;
}

async function writeFile(path: string, records: number, brandIds: readonly string[]): Promise<void> {
  const file = createWriteStream(path);
  for (const item of makeItems(records)) file.write(`${JSON.stringify(withBrand(brandIds)(item))}\n`);
  file.end();
  await finished(file);
}

/** Seconds, from the command to its end. */
async function importFile(directory: string, file: string): Promise<number> {
  const begun = performance.now();
  const where = ['--data', directory, '--project', 'bench', '--collection', 'products'];
  const child = start(process.execPath, [join(root, 'src/main.ts'), 'import', ...where, file]);
  const code = await child.exit;
  if (code !== 0) throw new Error(`the import ended with ${code}: ${child.output()}`);
  return (performance.now() - begun) / 1_000;
}

/** Seconds for the rows of the largest table of records, in a file of their own, as durable as the product's. */
function insertRows(path: string): number {
  const from = new Database(path, { readonly: true });
  const [{ key }] = from.query("SELECT key FROM collections WHERE id = 'products'").all() as [
    { key: number },
  ];
  const schema = from
    .query('SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY rowid')
    .all(`r${key}`) as { sql: string }[];
  // Without those that are computed.
  const info = from.query(`PRAGMA table_info(r${key})`).all() as { name: string }[];
  const columns = info.map(({ name }) => name).join();
  const rows = from.query(`SELECT ${columns} FROM r${key} ORDER BY seq`).values() as (
    | string
    | number
    | null
  )[][];
  from.close();
  const to = new Database(join(temporary('rows'), 'rows.db'));
  to.run('PRAGMA journal_mode = WAL');
  to.run('PRAGMA synchronous = FULL');
  for (const { sql } of schema) to.run(sql);
  const insert = to.query(`INSERT INTO r${key} (${columns}) VALUES (${info.map(() => '?').join()})`);
  const begun = performance.now();
  for (let at = 0; at < rows.length; at += perTransaction) {
    to.transaction(() => {
      for (const row of rows.slice(at, at + perTransaction)) insert.run(...row);
    })();
  }
  const seconds = (performance.now() - begun) / 1_000;
  to.close();
  return seconds;
}
