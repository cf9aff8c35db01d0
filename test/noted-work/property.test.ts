import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import type { Coordination, NotedWork } from '../../src/store/coordination.ts';
import type { Engine } from '../../src/store/engine.ts';
import { Dice } from '../reference/dice.ts';
import { seed } from '../seed.ts';
import { drawn, type Storage, startStorage } from '../storage.ts';

/** Milliseconds after its announcement at which a process that is about to end may still write. */
const grace = 60_000;
const projects = ['a', 'b'] as const;
type Project = (typeof projects)[number];

let storage: Storage;
const engines: Engine[] = [];
let clock = 0;
let kinds = 0;
before(async () => {
  storage = await startStorage();
  for (let count = 0; count < 2; count++) engines.push(storage.open(() => clock));
});
after(async () => {
  for (const engine of engines) await engine.close();
  await storage.remove();
});

/** Somebody who has announced work and not written it yet. */
interface Asker {
  readonly project: Project;
  readonly since: number;
  /** Whether the process ends right after it has written. */
  write(ends: boolean): Promise<void>;
}

/** Where the job is: what it has listed, and which of these it has found nothing in. */
interface Job {
  readonly at: Coordination;
  readonly listed: NotedWork[];
  readonly empty: NotedWork[];
}

/** What several processes do with their projects, each step by itself. */
class World {
  readonly kind = `kind ${kinds++}`;
  /** What was written into each project and not looked at. */
  readonly waiting: Record<Project, number> = { a: 0, b: 0 };
  /** Those of them that were written by somebody who went on. */
  readonly prompt: Record<Project, number> = { a: 0, b: 0 };
  readonly askers: Asker[] = [];
  readonly jobs: readonly Job[] = engines.map(({ coordination: at }) => ({ at, listed: [], empty: [] }));

  async announce(project: Project, by: Coordination): Promise<void> {
    const since = clock;
    const announced = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    let ended = false;
    const done = by.announceWork(this.kind, project, async () => {
      announced.resolve();
      await goOn.promise;
      this.waiting[project] += 1;
      if (ended) await new Promise(() => {});
      this.prompt[project] += 1;
    });
    await Promise.race([announced.promise, done]);
    const write = async (ends: boolean) => {
      ended = ends;
      goOn.resolve();
      await (ends ? Promise.resolve() : done);
    };
    this.askers.push({ project, since, write });
  }

  async list({ at, listed, empty }: Job): Promise<void> {
    empty.length = 0;
    listed.splice(0, listed.length, ...(await at.listWork(this.kind)));
  }

  /** Does what it finds. */
  look({ listed, empty }: Job): void {
    const noted = listed.shift();
    if (!noted) return;
    const project = noted.project as Project;
    if (this.waiting[project] === 0) empty.push(noted);
    this.waiting[project] = 0;
    this.prompt[project] = 0;
  }

  async end({ at, empty }: Job): Promise<void> {
    const noted = empty.shift();
    if (noted) await at.endWork(noted);
  }

  /** All of a run of the job. */
  async run(job: Job): Promise<void> {
    await this.list(job);
    while (job.listed.length > 0) this.look(job);
    while (job.empty.length > 0) await this.end(job);
  }
}

const runs = drawn('VITRINE_RUNS', 150, 40);

it(`whatever is announced and written is looked at afterwards (VITRINE_SEED=${seed})`, async () => {
  const worlds = fc.asyncProperty(fc.gen(), async (draw) => {
    const dice = new Dice(draw);
    const world = new World();
    for (let step = 0; step < 60; step++) {
      const job = dice.pick(world.jobs);
      const steps: (() => unknown)[] = [
        () => world.announce(dice.pick(projects), dice.pick(engines).coordination),
        async () => {
          const [asker] = world.askers.splice(dice.below(world.askers.length), 1);
          // Only whoever goes on may be late: it announces again.
          if (asker) await asker.write(dice.chance(60) && clock - asker.since < grace);
        },
        () => world.askers.splice(dice.below(world.askers.length), 1), // it ends before it has written
        () => world.list(job),
        () => world.look(job),
        () => world.end(job),
        () => world.run(job),
        () => {
          clock += dice.pick([100, 2_000, 5_000, 20_000, 59_000, 60_000, 100_000]);
        },
      ];
      await dice.pick(steps)();
    }
    const [job] = world.jobs;
    assert.ok(job);
    for (const asker of world.askers) await asker.write(clock - asker.since < grace);
    const nothing = { a: 0, b: 0 };
    for (let second = 0; second <= 61; second++) {
      await world.run(job);
      clock += 1_000;
      if (second > 5) assert.deepEqual(world.prompt, nothing, 'soon, but for those that ended');
    }
    assert.deepEqual(world.waiting, nothing);
    clock += grace;
    for (let turn = 0; turn < 2; turn++) await world.run(job);
    assert.deepEqual(await job.at.listWork(world.kind), [], 'nobody looks for what is done for ever');
  });
  await fc.assert(worlds, { seed, numRuns: runs, endOnFailure: true });
});
