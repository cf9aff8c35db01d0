import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { Dice, seedOf } from './dice.ts';
import { Ordeal } from './ordeal.ts';
import type { Victim } from './process.ts';

/** A round on Node takes two to three times as long. */
const usual = 'Bun' in globalThis ? 12 : 7;
const rounds = process.env.VITRINE_LONG ? 200 : usual;
const withWorkers = process.platform === 'linux' ? Math.floor(rounds * 0.45) : 0;

const seed = seedOf(process.env);

async function kill(rounds: number, workers: number, victims: readonly Victim[]): Promise<void> {
  const dice = new Dice(seed + workers);
  const ordeal = await Ordeal.begin(dice, workers);
  try {
    for (let round = 1; round <= rounds; round++) {
      const victim = victims[round % victims.length] ?? 'all';
      try {
        await ordeal.round(victim);
        if (round % 4 === 0) await ordeal.inspectFile();
      } catch (error) {
        throw new Error(`round ${round} (${victim}), VITRINE_SEED=${seed}: ${error}`, { cause: error });
      }
    }
    const { seen, acknowledged } = ordeal;
    console.log({ rounds, workers, acknowledged, ...seen });
    assert.ok(acknowledged > rounds * 20, 'there was load');
    assert.ok(seen.replayed > rounds && seen.written + seen.absent > rounds / 2, 'the kills hit writes');
  } finally {
    await ordeal.end();
  }
}

describe(`SIGKILL under write load, ${rounds} times, loses nothing acknowledged, leaves nothing half done`, () => {
  before(() => console.log(`VITRINE_SEED=${seed}`));

  const alone = rounds - withWorkers;
  it(`one process, ${alone} times`, { timeout: alone * 30_000 }, () => kill(alone, 1, ['all']));

  it(
    `three workers: all of them, their parent, or one of them, ${withWorkers} times`,
    {
      timeout: rounds * 30_000,
      skip: withWorkers === 0,
    },
    () => kill(withWorkers, 3, ['worker', 'parent', 'all']),
  );
});
