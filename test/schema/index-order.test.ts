import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { startApp, type TestApp } from '../harness.ts';
import { Dice } from '../reference/dice.ts';
import { seed } from '../seed.ts';
import { drawn } from '../storage.ts';
import { assertRefused, definition, type Records, resultOf } from '../support.ts';
import { Schema } from './support.ts';

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

const fields = {
  slug: { type: 'text' },
  site: { type: 'text' },
  team: { type: 'text' },
  email: { type: 'email' },
  backup: { type: 'email' },
};
const pages = { fields: ['slug', 'site'] };
const members = { fields: ['team', 'email'], unique: true };
const backups = { fields: ['site', 'backup'], unique: true };
const slugs = { fields: ['slug', 'team'], unique: true };

type Index = { fields: string[]; unique?: boolean };

let made = 0;
/** Values that no other record has. */
function fresh(): Record<string, string> {
  made += 1;
  const email = `P${made}@x.example`;
  return { slug: `s${made}`, site: `w${made}`, team: `t${made}`, email, backup: `b${email}` };
}

/** Each unique index refuses what it should, in other letters too, and nothing else is refused. */
async function assertKept(things: Records, indexes: readonly Index[]): Promise<void> {
  const one = fresh();
  await things.create(one);
  for (const { fields: names, unique } of indexes) {
    const other: Record<string, Json> = fresh();
    for (const name of names) {
      const value = one[name] ?? '';
      other[name] = value.includes('@') ? value.toLowerCase() : value;
    }
    const reply = await things.call('POST', '', other);
    if (unique) assertRefused(reply, 409, names.join(', '));
    else assert.equal(reply.status, 201, reply.text);
  }
}

describe('indexes in another order', () => {
  it('together with another name are the same indexes', async () => {
    for (const indexes of [
      [pages, members],
      [members, backups, slugs],
      [pages, pages, members],
    ]) {
      const schema = await Schema.make(app, definition('things', fields, { indexes }));
      const things = schema.records('things');
      await assertKept(things, indexes);
      await schema.change('things', fields, { name: 'Other', indexes: indexes.toReversed() });
      assert.equal((await schema.view('things')).name, 'Other');
      await assertKept(things, indexes);
      await schema.change('things', fields, { name: 'Same', indexes: [...new Set(indexes)] });
      await assertKept(things, indexes);
    }
  });

  it(`hold after any changes (VITRINE_SEED=${seed})`, { timeout: 300_000 }, async () => {
    const all: Index[] = [pages, members, backups, slugs];
    const world = async (dice: Dice) => {
      const some = () => {
        const indexes = dice.some(all, 1, all.length);
        return dice.chance(20) ? [...indexes, dice.pick(indexes)] : indexes;
      };
      let indexes = some();
      let more: JsonObject = {};
      let now: JsonObject = fields;
      let id = 'things';
      const schema = await Schema.make(app, definition(id, now, { indexes }));
      for (let round = 0; round < 4; round++) {
        await assertKept(schema.records(id), indexes);
        indexes = dice.chance(80) ? dice.shuffle(indexes) : some();
        if (dice.chance(60)) more = { name: `Name ${round}` };
        if (dice.chance(20)) now = { ...now, [`extra${round}`]: { type: 'number' } };
        if (dice.chance(20)) now = { ...now, slug: { type: 'text', label: `Slug ${round}` } };
        const next = dice.chance(20) ? `things${round}` : id;
        resultOf(await schema.put(id, definition(next, now, { ...more, indexes })));
        id = next;
      }
      await assertKept(schema.records(id), indexes);
    };
    await fc.assert(
      fc.asyncProperty(fc.gen(), (draw) => world(new Dice(draw))),
      { seed, numRuns: drawn('VITRINE_WORLDS', 12, 4), endOnFailure: true },
    );
  });
});
