import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../src/failure.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { SqliteDriver } from '../../src/store/engines/sqlite/connection/driver.ts';
import { Writer } from '../../src/store/engines/sqlite/writes/group-writer.ts';
import { openProjectFile } from '../../src/store/engines/sqlite/writes/open-project-file.ts';
import { Schemas } from '../../src/store/known-schemas.ts';
import { deleteRecord } from '../../src/store/sql/records/delete-records.ts';
import { deleteInSlices, finishDeletion } from '../../src/store/sql/records/sliced-deletion.ts';
import { loadSchema } from '../../src/store/sql/schema/load-schema.ts';
import { sql, table } from '../../src/store/sql/tag.ts';
import type { Writes } from '../../src/store/sql/transaction.ts';
import type { DeletePlan } from '../../src/store/write-plans.ts';
import { startApp } from '../harness.ts';
import { sqliteStorage } from '../storage.ts';
import { asAdmin, resultOf } from '../support.ts';
import { quickRoom } from './crash-recorder.ts';
import { Dice, seedOf } from './dice.ts';

const seed = seedOf(process.env);
const dice = new Dice(seed);
const worlds = Number(process.env.VITRINE_WORLDS ?? 3);
const names = ['a', 'b', 'c'] as const;

let sqlite: SqliteDriver;
let room: string;
before(async () => {
  console.log(`VITRINE_SEED=${seed}`);
  ({ sqlite } = await loadRuntime());
  room = mkdtempSync(join(quickRoom, 'vitrine-sliced-'));
});
after(() => rmSync(room, { recursive: true, force: true }));

const draw = <T>(from: readonly T[]): T => from[dice.below(from.length)] as T;

/** Relations of every kind to any of the collections. */
function drawFields(): Record<string, JsonObject> {
  const fields = Array.from({ length: 1 + dice.below(3) }, (_, index): [string, JsonObject] => {
    const kind = draw(['single', 'single', 'multiple']);
    const onDelete = dice.chance(4) ? 'restrict' : draw(['clear', 'cascade']);
    const strict: JsonObject = kind === 'multiple' && dice.chance(15) ? { minItems: 1 } : {};
    return [`r${index}`, { type: 'relation', to: draw(names), kind, onDelete, ...strict }];
  });
  return Object.fromEntries(fields);
}

interface World {
  readonly file: string;
  /** A record that many refer to. */
  readonly target: { readonly collection: string; readonly id: string };
}

/** A project whose records refer to each other, in circles too, and some of them to one record. */
async function makeWorld(number: number): Promise<World> {
  const storage = await sqliteStorage();
  const app = await startApp({ storage });
  const collections = '/v1/_admin/projects/p/collections';
  await app.project('p', ...names.map((id) => ({ id, fields: {}, api: { access: 'public' } })));
  const fields = new Map(names.map((id) => [id as string, drawFields()]));
  for (const [id, drawn] of fields) {
    const body = { id, fields: drawn, api: { access: 'public' } };
    resultOf(await app.call('PUT', `${collections}/${id}`, { ...asAdmin, body }));
  }
  const made = new Map<string, string[]>(names.map((id) => [id, []]));
  const refer = (drawn: Record<string, JsonObject>): Record<string, Json> => {
    const values = Object.entries(drawn).map(([name, { to, kind }]): [string, Json] => {
      const known = made.get(String(to)) ?? [];
      const one = () => (dice.chance(30) ? known[0] : draw(known)) as string;
      if (known.length === 0 || dice.chance(10)) return [name, kind === 'multiple' ? [] : null];
      return [name, kind === 'multiple' ? [...new Set([one(), one(), one()])] : one()];
    });
    return Object.fromEntries(values);
  };
  for (let round = 0; round < 6; round++) {
    for (const id of names) {
      const create = Array.from({ length: 45 }, () => refer(round === 0 ? {} : (fields.get(id) ?? {})));
      const reply = await app.call('POST', `/v1/p/${id}/batch`, { ...asAdmin, body: { create } });
      if (reply.status !== 200) continue; // too few related ones for minItems
      const { created } = resultOf(reply) as { created: { _id: string }[] };
      made.get(id)?.push(...created.map(({ _id }) => _id));
    }
  }
  for (const id of names) {
    for (const _id of dice.some(made.get(id) ?? [], 15)) {
      await app.call('PATCH', `/v1/p/${id}/${_id}`, { ...asAdmin, body: refer(fields.get(id) ?? {}) });
    }
  }
  await app.close();
  const file = join(room, `world-${number}.db`);
  const directory = storage.flags[1] ?? '';
  await closed(join(directory, 'projects', 'p.db'), file);
  await storage.remove();
  const collection = draw(names);
  return { file, target: { collection, id: made.get(collection)?.[0] ?? '' } };
}

/** The file alone, with all that is in its log. */
async function closed(from: string, to: string): Promise<void> {
  const db = await openProjectFile(sqlite, from);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  copyFileSync(from, to);
}

let copies = 0;

/** Does something with a copy of the world. */
async function inCopy<T>({ file }: World, work: (open: () => Promise<Open>) => Promise<T>): Promise<T> {
  copies += 1;
  const copy = join(room, `copy-${copies}.db`);
  copyFileSync(file, copy);
  const opened: Open[] = [];
  const open = async () => {
    const db = await openProjectFile(sqlite, copy);
    const one = { db, writer: new Writer(db, new Schemas(), () => {}) };
    opened.push(one);
    return one;
  };
  try {
    return await work(open);
  } finally {
    for (const { db } of opened) db.close();
    for (const part of ['', '-wal', '-shm']) rmSync(`${copy}${part}`, { force: true });
  }
}

interface Open {
  readonly db: Awaited<ReturnType<typeof openProjectFile>>;
  readonly writer: Writer;
}

async function planOf({ db }: Open, { target }: World): Promise<DeletePlan> {
  const schema = await loadSchema(db);
  const collection = schema.collections.get(target.collection);
  assert.ok(collection);
  return { collection: collection.ref, id: target.id, scope: { kind: 'all' }, at: 1 };
}

/** Every record by its id, without its times; the counts; and what is left of deletions. */
async function stateOf({ db }: Open): Promise<Record<string, unknown>> {
  const state: Record<string, unknown> = {};
  const schema = await loadSchema(db);
  for (const [id, { key }] of schema.collections) {
    const rows = db.rows(sql`SELECT id, json FROM ${table(`r${key}`)} ORDER BY id`);
    state[id] = rows.map(([, json]) => ({ ...JSON.parse(String(json)), _updatedAt: '' }));
    assert.deepEqual(
      db.rows(sql`SELECT total FROM ${table('counters')} WHERE collection = ${key}`),
      [[rows.length]],
      'counted',
    );
  }
  state.left = [
    db.rows(sql`SELECT 1 FROM ${table('deletions')}`),
    db.rows(sql`SELECT 1 FROM ${table('doomed')}`),
  ];
  return state;
}

/** The process ends after so many transactions: it gets no answer to the next, and goes on with nothing. */
function killedAfter(
  writes: Writes,
  count: number,
): Writes & { readonly done: () => number; readonly killed: Promise<'killed'> } {
  let done = 0;
  const { promise: killed, resolve } = Promise.withResolvers<'killed'>();
  return {
    write(step) {
      if (done < count) {
        done += 1;
        return writes.write(step);
      }
      resolve('killed');
      return new Promise(() => {});
    },
    done: () => done,
    killed,
  };
}

/** After which transactions the process is ended: the first and the last ones, where a deletion changes its mind, and some between. */
function killsIn(steps: number): number[] {
  const all = Array.from({ length: Math.max(0, steps - 1) }, (_, index) => index + 1);
  if (process.env.VITRINE_LONG === '1' || all.length <= 24) return all;
  return [...all.slice(0, 3), ...dice.some(all.slice(3, -3), 18), ...all.slice(-3)];
}

const refusalOf = (error: unknown): string => {
  if (error instanceof Failure) return `${error.kind}: ${error.message}`;
  throw error;
};

describe('a deletion in slices, in random projects', () => {
  it('does what one in a single step does, or nothing, wherever the process ends', async () => {
    for (let number = 0; number < worlds; number++) {
      const world = await makeWorld(number);
      // Of one transaction: a few records, some more, or as many as the clock allows.
      const work = [Number.POSITIVE_INFINITY, 6_000, 2_000][number % 3];
      const before = await inCopy(world, async (open) => stateOf(await open()));
      const whole = await inCopy(world, async (open) => {
        const one = await open();
        const plan = await planOf(one, world);
        const refused = await one.writer.write((step) => deleteRecord(step, plan)).then(() => '', refusalOf);
        return { refused, state: await stateOf(one) };
      });
      const steps = await inCopy(world, async (open) => {
        const one = await open();
        const counted = killedAfter(one.writer, Number.POSITIVE_INFINITY);
        const refused = await deleteInSlices(counted, await planOf(one, world), { work }).then(
          () => '',
          refusalOf,
        );
        assert.equal(refused === '', whole.refused === '', `${refused} | ${whole.refused}`);
        assert.deepEqual(await stateOf(one), whole.state, 'as in one step');
        return counted.done();
      });
      for (const kill of killsIn(steps)) {
        await inCopy(world, async (open) => {
          const first = await open();
          const plan = await planOf(first, world);
          const killed = killedAfter(first.writer, kill);
          const deleting = deleteInSlices(killed, plan, { work }).then(() => 'done', refusalOf);
          // Slices follow the clock: it may take fewer of them this time, and then nothing is in its way.
          const ended = await Promise.race([deleting, killed.killed]);
          if (ended !== 'killed') assert.equal(ended === 'done', whole.refused === '', ended);
          const second = await open();
          const again = killedAfter(second.writer, dice.below(4));
          await Promise.race([finishDeletion(again, work), again.killed]); // and a second time
          const third = await open();
          await finishDeletion(third.writer, work);
          const state = await stateOf(third);
          if (isDeepStrictEqual(state, whole.state)) return;
          assert.deepEqual(state, before, `killed after ${kill} of ${steps}: neither done nor undone`);
        });
      }
    }
  });
});
