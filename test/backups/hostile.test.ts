import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { readContent } from '../../src/store/engines/sqlite/backup/content.ts';
import { writeLabel } from '../../src/store/engines/sqlite/backup/label.ts';
import { localBackupFiles } from '../../src/store/engines/sqlite/backup/local-backup-files.ts';
import { Database } from '../../src/store/engines/sqlite/connection/database.ts';
import { openSqliteEngine } from '../../src/store/engines/sqlite/engine.ts';
import { defaultAuth } from '../../src/store/project-record.ts';
import { raw } from '../../src/store/sql/tag.ts';

/** Files that somebody made up: all of it is SQLite's, whatever engine they are restored into. */
const { sqlite } = await loadRuntime();
const files = localBackupFiles(sqlite);
const project = { id: 'shop', name: 'Shop', auth: defaultAuth, created: 1, updated: 1 };

let folder: string;
let good: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-hostile-'));
  good = join(folder, 'good.db');
  const engine = openSqliteEngine(sqlite, join(folder, 'from'));
  await engine.createProject(project);
  const store = await engine.openProject('shop');
  const { version } = await store.schema();
  await store.createCollection({
    definition: { id: 'items', name: 'items', fields: { title: { type: 'text' } } },
    version,
  });
  await store.close();
  await engine.saveProject('shop', good, files);
  await files.finish(good, { id: 'x', project, made: 1, vitrine: 'test' });
  await engine.close();
});
after(() => rm(folder, { recursive: true, force: true }));

/** The good file with something done to it, and labelled anew as if it had been made so. */
async function spoiled(name: string, ...statements: string[]): Promise<string> {
  const path = join(folder, `${name}.db`);
  await copyFile(good, path);
  const db = new Database(sqlite, path);
  for (const statement of statements) db.exec(statement);
  const { digest } = readContent(db);
  const { sum: _, ...label } = JSON.parse(String(db.row(raw('SELECT label FROM backup'))?.[0]));
  db.exec('DROP TABLE backup');
  writeLabel(db, { ...label, digest });
  db.close();
  return path;
}

async function restored(path: string): Promise<Database> {
  const directory = `${path}.restored`;
  const engine = openSqliteEngine(sqlite, directory);
  await files.check(path);
  assert.ok(await engine.loadProject(project, path, files, { replace: false }));
  await engine.close();
  return new Database(sqlite, join(directory, 'projects/shop.db'));
}

const schemaOf = (db: Database) =>
  db
    .rows({ text: 'SELECT name FROM sqlite_schema ORDER BY name', parts: [], values: [] })
    .map(([name]) => String(name));

it('triggers, views and tables of others do not come along, and do not run', async () => {
  const path = await spoiled(
    'triggers',
    `INSERT INTO users (id, email, name, password, disabled, created, updated)
      VALUES ('u1', 'ann@example.com', 'Ann', 'hash', 0, 1, 1)`,
    "INSERT INTO sessions (id, user, expires) VALUES ('s1', 'u1', 99999999999999)",
    "CREATE TRIGGER evil AFTER INSERT ON users BEGIN UPDATE users SET password = 'mine'; END",
    'CREATE TRIGGER worse AFTER DELETE ON sessions BEGIN DELETE FROM users; END',
    'CREATE VIEW look AS SELECT * FROM users',
    'CREATE TABLE strange (x); INSERT INTO strange VALUES (1)',
  );
  const db = await restored(path);
  const plain = await restored(await spoiled('plain'));
  assert.deepEqual(schemaOf(db), schemaOf(plain));
  assert.deepEqual(db.rows({ text: 'SELECT id, password FROM users', parts: [], values: [] }), [
    ['u1', 'hash'],
  ]);
  for (const one of [db, plain]) one.close();
});

it('what was going on then does not go on', async () => {
  const path = await spoiled(
    'waiting',
    "INSERT INTO sessions (id, user, expires) VALUES ('s1', 'u1', 99999999999999)",
    "INSERT INTO refresh_tokens (digest, session, expires) VALUES ('d', 's1', 99999999999999)",
    "INSERT INTO outbox (id, kind, email, created, due, tries) VALUES ('o', 'reset', 'a@b.example', 1, 1, 0)",
    `INSERT INTO mail_tokens (digest, purpose, "user", address, password, expires)
      VALUES ('d', 'reset', 'u1', 'a@b.example', 'p', 99999999999999)`,
    `INSERT INTO webhooks (id, name, url, collections, kinds, secret, paused, created, updated)
      VALUES ('w', 'Index', 'https://example.com', '[]', '["create"]', 's', NULL, 1, 1)`,
  );
  const db = await restored(path);
  for (const table of ['sessions', 'refresh_tokens', 'outbox', 'mail_tokens'])
    assert.deepEqual(db.rows({ text: `SELECT * FROM ${table}`, parts: [], values: [] }), [], table);
  const webhooks = db.rows({ text: 'SELECT name, paused FROM webhooks', parts: [], values: [] });
  assert.deepEqual(webhooks, [['Index', 'restored']]);
  db.close();
});

for (const [what, statements] of [
  ['a view in the place of a table', ['DROP TABLE keys', "CREATE VIEW keys AS SELECT 1 AS seq, 'k' AS id"]],
  [
    'a virtual table in the place of a table',
    ['DROP TABLE keys', 'CREATE VIRTUAL TABLE keys USING fts5(id, name, digest)'],
  ],
  [
    'a computed column',
    ['ALTER TABLE workspaces ADD COLUMN more TEXT GENERATED ALWAYS AS (hex(zeroblob(100000))) VIRTUAL'],
  ],
  [
    'a column of records that is computed in another way than ours',
    ['ALTER TABLE r1 ADD COLUMN f99 TEXT AS (hex(zeroblob(100000))) VIRTUAL'],
  ],
  [
    'one that begins as ours do',
    [`ALTER TABLE r1 ADD COLUMN f99 TEXT AS (json_extract(json, '$."a"')||hex(zeroblob(100000))) VIRTUAL`],
  ],
] as const) {
  it(`refuses ${what}`, async () => {
    await assert.rejects(
      spoiled(what.replaceAll(' ', '-'), ...statements).then((path) => files.check(path)),
      /damaged/,
    );
  });
}

for (const id of ['../../outside/evil', '../instance', '/etc/evil', 'Shop', '_admin', '', 'a\n', 7, null]) {
  it(`refuses a label whose project is ${JSON.stringify(id)}: its file would be named so`, async () => {
    const name = `project-${String(id).replaceAll(/\W/g, '-')}`;
    const label = `json_set(label, '$.project.id', json('${JSON.stringify(id)}'))`;
    const path = await spoiled(name, `UPDATE backup SET label = ${label}`);
    await assert.rejects(files.check(path), /damaged.*no label/);
  });
}

it('refuses a label that keeps changes for what is no number of days', async () => {
  const changed = `json_set(label, '$.project.changes', json('{"days":"7; DROP"}'))`;
  const path = await spoiled('days', `UPDATE backup SET label = ${changed}`);
  await assert.rejects(files.check(path), /damaged.*no label/);
});

it('refuses what a newer version made, and what has no label or another format than its label says', async () => {
  const newer = await spoiled(
    'newer',
    'PRAGMA user_version = 99',
    "UPDATE backup SET label = json_set(label, '$.format', 99)",
  );
  await assert.rejects(files.check(newer), /made by a newer Vitrine/);
  await assert.rejects(files.check(await spoiled('other', 'PRAGMA user_version = 3')), /format/);
  const bare = join(folder, 'bare.db');
  await copyFile(good, bare);
  const db = new Database(sqlite, bare);
  db.exec('DROP TABLE backup');
  db.close();
  await assert.rejects(files.check(bare), /no label/);
});

it('refuses a label in which a setting of the project is not what it was made with', async () => {
  const path = join(folder, 'label.db');
  await copyFile(good, path);
  const db = new Database(sqlite, path);
  db.exec(`UPDATE backup SET label = replace(label, '"registration"', '"refistration"')`);
  db.close();
  await assert.rejects(files.check(path), /its label was changed/);
});

it('refuses a file whose values are not those it was made with', async () => {
  const path = join(folder, 'changed.db');
  await copyFile(good, path);
  const db = new Database(sqlite, path);
  db.exec("UPDATE secrets SET value = 'known to me'");
  db.close();
  await assert.rejects(files.check(path), /checksum/);
});
