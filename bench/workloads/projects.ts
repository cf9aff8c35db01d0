import { type Child, temporary } from '../children.ts';
import { atMost, projectsGoal } from '../goals.ts';
import { call } from '../http.ts';
import { ownMemory, settle } from '../processes.ts';
import type { Fact } from '../report.ts';
import { adminKey, launch } from '../servers/launch.ts';
import { median } from '../wrk.ts';

const few = 10;
const many = 1_000;
/** The product closes a project that was not used for five minutes, and looks every minute. */
const idleAfter = 6.5 * 60_000;
const restarts = 3;

interface Instance {
  readonly storage: readonly string[];
  readonly count: number;
  readonly child: Child;
  /** Resident MB when every project had been used. */
  readonly used: number;
}

export interface Projects {
  /** Memory at rest, of many against few: after the projects in use were closed again, and after a start. */
  measure(): Promise<Fact[]>;
}

/** Makes two instances with few and with many projects, and sends as many requests to either. */
export async function startProjects({ quick }: { quick: boolean }): Promise<Projects> {
  const instances: Instance[] = [];
  for (const count of [few, many]) instances.push(await makeInstance(count));
  const since = Date.now();
  return {
    async measure() {
      const facts = compare('just used', [instances.map(({ used }) => used)], false);
      if (!quick) {
        process.stderr.write('waiting until projects that nobody uses are closed\n');
        await Bun.sleep(Math.max(0, since + idleAfter - Date.now()));
        const idle = instances.map(({ child }) => ownMemory(child.pid) ?? 0);
        facts.push(...compare('at rest, minutes after use', [idle], true));
      }
      const started: number[][] = [];
      for (const { child } of instances) await child.stop();
      for (let round = 0; round < restarts; round++) {
        const memory: number[] = [];
        for (const { storage } of instances) memory.push(await restOnce(storage));
        started.push(memory);
      }
      return [...facts, ...compare('at rest, after a start', started, true)];
    },
  };
}

async function makeInstance(count: number): Promise<Instance> {
  process.stderr.write(`making ${count} projects\n`);
  const storage = ['--data', temporary('projects')];
  const { child, base } = await launch(storage);
  const fields = { title: { type: 'text', index: true }, text: { type: 'content' } };
  for (let number = 0; number < count; number++) {
    const id = `project-${number}`;
    await call(base, 'POST', '/v1/_admin/projects', { id, name: id }, adminKey);
    const things = { id: 'things', name: 'Things', fields, api: { access: 'public' } };
    await call(base, 'POST', `/v1/_admin/projects/${id}/collections`, things, adminKey);
  }
  // As many requests to either, so that what a process keeps of having worked is the same.
  for (let number = 0; number < many; number++) {
    const id = `project-${number % count}`;
    await call(base, 'POST', `/v1/${id}/things`, { title: `of ${id}`, text: 'a few words' });
    await call(base, 'GET', `/v1/${id}/things`);
  }
  await settle(child.pid, 30_000);
  return { storage, count, child, used: ownMemory(child.pid) ?? 0 };
}

/** One request, so that what serves is loaded. */
async function restOnce(storage: readonly string[]): Promise<number> {
  const { child, base } = await launch(storage);
  await call(base, 'GET', '/v1/project-0/things');
  await settle(child.pid, 30_000);
  const memory = ownMemory(child.pid) ?? 0;
  await child.stop();
  return memory;
}

/** `rounds`: of few and of many, MB. */
function compare(when: string, rounds: readonly (readonly number[])[], judged: boolean): Fact[] {
  const [less, more] = [0, 1].map((index) => median(rounds.map((round) => round[index] ?? 0)));
  const fact = (count: number, value = 0, verdict?: Fact['verdict']): Fact => {
    const what = `${count.toLocaleString('en')} projects ${when}`;
    return { work: 'projects', what, value, unit: 'MB', verdict };
  };
  const ratio = (more ?? 0) / (less ?? 1);
  return [fact(few, less), fact(many, more, judged ? atMost(ratio, projectsGoal, 'of ten') : undefined)];
}
