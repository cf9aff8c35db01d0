import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { Dice } from '../reference/dice.ts';
import { seed } from '../seed.ts';
import { drawn } from '../storage.ts';
import { Author } from './author.ts';
import { found } from './found.ts';
import { Pair } from './pair.ts';
import { shrink } from './shrink.ts';
import type { Difference, Step } from './step.ts';

const worlds = drawn('VITRINE_WORLDS', 20, 20);
const stepsPerWorld = 90;
const shrinkFor = 20_000;

describe('the same requests get the same answers from SQLite and PostgreSQL', () => {
  let pair: Pair;
  before(async () => {
    pair = await Pair.start();
  });
  after(() => pair.close());

  /** Everything somebody needs to see it again. */
  function report(steps: readonly Step[], { step, sqlite, postgres }: Difference): Error {
    const lines = steps.map((one) => JSON.stringify(one));
    return new Error(
      `VITRINE_SEED=${seed}: step ${step.n} differs: ${step.verb} ${step.path}\n` +
        `SQLite:     ${JSON.stringify(sqlite)}\nPostgreSQL: ${JSON.stringify(postgres)}\n` +
        `after (to keep in found.ts):\n${lines.join(',\n')}\n${pair.errors.map(String).join('\n')}`,
    );
  }

  for (const [name, steps] of Object.entries(found)) {
    it(name, async () => {
      const difference = await pair.replay(steps);
      if (difference) throw report(steps, difference);
    });
  }

  it(`in random projects (VITRINE_SEED=${seed})`, { timeout: 600_000 }, async () => {
    const statuses: Record<number, number> = {};
    let count = 0;
    const started = Date.now();
    const property = fc.asyncProperty(fc.gen(), async (draw) => {
      const author = new Author(new Dice(draw));
      const conversation = pair.begin();
      const sent: Step[] = [];
      const send = async (group: readonly Step[]) => {
        sent.push(...group);
        const all = await conversation.send(group);
        for (const [at, told] of all.entries()) {
          if ('sqlite' in told) throw await smallest(sent, told);
          author.learn(group[at] as Step, told);
          count += 1;
          statuses[told.status] = (statuses[told.status] ?? 0) + 1;
        }
      };
      while (sent.length < stepsPerWorld) await send(author.next());
      for (const step of author.last()) await send([step]);
    });

    async function smallest(sent: readonly Step[], difference: Difference): Promise<Error> {
      const fails = async (steps: readonly Step[]) => (await pair.replay(steps)) !== undefined;
      if (!(await fails(sent))) return report(sent, difference); // not again: a matter of timing
      const steps = await shrink(sent, fails, Date.now() + shrinkFor);
      return report(steps, (await pair.replay(steps)) ?? difference);
    }

    const outcome = await fc.check(property, { seed, numRuns: worlds, endOnFailure: true });
    const seconds = (Date.now() - started) / 1000;
    console.log(
      `differential: VITRINE_SEED=${seed}, ${count} steps, ${JSON.stringify(statuses)}, ${seconds} s`,
    );
    if (outcome.failed) throw outcome.errorInstance ?? new Error('the property failed');
    assert.deepEqual(pair.errors, []);
    const good = (statuses[200] ?? 0) + (statuses[201] ?? 0);
    assert.ok(good > count * 0.5, 'too few of the requests succeeded');
  });
});
