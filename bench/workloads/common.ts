import { atLeast, atMost, type Goal, goals, type Verdict } from '../goals.ts';
import { type Measured, measure, type Target } from '../measure.ts';
import type { Line } from '../report.ts';
import type { Work, WorkName } from '../server.ts';
import type { Bare } from '../servers/bare.ts';
import type { Product } from '../servers/product.ts';
import { freshNumbers } from '../wrk.ts';
import type { Field } from './field.ts';

const product = 'product';
const relaxed = 'synchronous=NORMAL';

/** The product beside the floor, the hand-written server and the peers. */
export async function measureCommon(field: Field, name: WorkName): Promise<Line[]> {
  const work = await field.product.work(name);
  if (!work) return [];
  // Answers of several sizes have no floor that is the same bytes.
  const floor = name !== 'mix';
  if (floor) await copyAnswer(field.bare, field.product, work);
  const twin = name === 'create' ? await field.product.another({ driver: 'normal-driver.ts' }) : undefined;
  const targets: Target[] = [
    ...(floor ? [{ label: 'bare', server: field.bare, work, warm: true }] : []),
    { label: product, server: field.product, work },
    // On a copy of the same records, and started just now.
    ...(twin ? [{ label: relaxed, server: twin, work, fresh: true }] : []),
  ];
  const others = [
    ...(field.handWritten ? [field.handWritten] : []),
    ...field.peers.map(({ server }) => server),
  ];
  for (const server of others) {
    const own = await server.work(name);
    if (own) targets.push({ label: server.name, server, work: own });
  }
  const measured = await measure(targets, field.pace);
  await twin?.stop();
  return judge(field, name, measured);
}

function judge({ handWritten, peers }: Field, name: WorkName, measured: readonly Measured[]): Line[] {
  const of = (label: string | undefined) => measured.find((one) => one.label === label)?.perSecond;
  const mine = of(product) ?? 0;
  const floor = of('bare');
  const times = (label: string | undefined) => {
    const other = of(label);
    return other === undefined ? undefined : mine / other;
  };
  const goal: Goal = goals[name] ?? {};
  const latest = measured.find((one) => one.label === product)?.p99 ?? Number.NaN;
  const verdicts = [
    reaches(times('bare'), goal.bare, 'bare'),
    reaches(times(handWritten?.name), goal.handWritten, 'hand'),
    reaches(times(relaxed), goal.normal, 'NORMAL'),
    ...(goal.longest === undefined ? [] : [atMost(latest / 1_000, goal.longest, 'ms p99')]),
  ].filter((verdict) => verdict !== undefined);
  return measured.map((one): Line => {
    const line = { work: name, measured: one, ofBare: floor && one.perSecond / floor };
    if (one.label === product) return { ...line, ofHandWritten: times(handWritten?.name), verdicts };
    const peer = peers.find(({ server }) => server.name === one.label);
    return { ...line, verdicts: peer ? [ahead(mine, one, peer.goals[name] ?? 1)] : [] };
  });
}

/** A peer that did not answer is no peer that we are ahead of. */
function ahead(mine: number, { perSecond, errors }: Measured, goal: number): Verdict {
  const compared = perSecond > 0 && errors === 0;
  return atLeast(compared ? mine / perSecond : Number.NaN, goal, 'times ahead');
}

function reaches(value: number | undefined, goal: number | undefined, of: string): Verdict | undefined {
  return value === undefined || goal === undefined ? undefined : atLeast(value, goal, of);
}

/** The floor answers what the product answers, byte for byte. */
export async function copyAnswer(bare: Bare, { base }: Pick<Product, 'base'>, work: Work): Promise<void> {
  const { reads, write, every } = work;
  if (write && every === undefined) {
    const body = write.body.replace('{n}', String(freshNumbers()).padStart(10, '0'));
    const headers = { 'content-type': 'application/json' };
    return bare.answer(await fetch(`${base}${write.paths[0]}`, { method: write.method, headers, body }));
  }
  return bare.answer(await fetch(`${base}${reads[0]?.replace('{n}', String(freshNumbers()))}`));
}
