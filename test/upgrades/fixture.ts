import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import postgres from 'postgres';
import type { JsonObject } from '../../src/model/json.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { type NamedStorage, startStorage, testEngine } from '../storage.ts';

/**
 * Data that the first version made, of format 1, as it left it: the projects `shop` and `empty` and an administrator. Its
 * clock was on the second of January 2026.
 */
const folder = join(dirname(fileURLToPath(import.meta.url)), '../fixtures/format-1');

const read = (name: string) => gunzipSync(readFileSync(join(folder, name)));

/** What the first version answered, and secrets that it gave out. */
export interface Made {
  readonly key: string;
  readonly refreshToken: string;
  readonly records: Readonly<Record<string, readonly JsonObject[]>>;
}

export const made = JSON.parse(readFileSync(join(folder, `${testEngine}.json`), 'utf8')) as Made;

export const password = 'correct horse battery';
export const nextDay = () => Date.UTC(2026, 0, 3);

export function writeDirectory(directory: string): void {
  mkdirSync(join(directory, 'projects'), { recursive: true });
  for (const file of ['instance.db', 'projects/shop.db', 'projects/empty.db']) {
    writeFileSync(join(directory, file), read(`${file.replace('projects/', '')}.gz`));
  }
}

/** Storage with that data in it, which nobody has opened since. */
export async function startOldStorage(): Promise<NamedStorage> {
  const storage = await startStorage();
  const place = storage.flags[1] ?? '';
  if (testEngine === 'sqlite') writeDirectory(place);
  else {
    const db = postgres(place, { max: 1, onnotice() {} });
    await db.unsafe(read('postgres.sql.gz').toString());
    await db.end();
  }
  return storage;
}

/** Statements upon that data, in the terms of its tables. */
export async function writeOld(storage: NamedStorage, statements: string): Promise<void> {
  const place = storage.flags[1] ?? '';
  if (testEngine === 'sqlite') {
    const connection = (await loadRuntime()).sqlite.open(join(place, 'projects/shop.db'));
    connection.exec(statements);
    connection.close();
    return;
  }
  const db = postgres(place, { max: 1, onnotice() {} });
  await db.unsafe(statements);
  await db.end();
}
