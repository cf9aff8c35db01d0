import { atLeast, goals } from '../goals.ts';
import { type Measured, measure } from '../measure.ts';
import type { Line } from '../report.ts';
import { startBare } from '../servers/bare.ts';
import { copyAnswer } from './common.ts';
import type { Field } from './field.ts';

/** View and Create by two processes beside one; and what a second process brings to a server that does nothing. */
export async function measureWorkers({ bare, product, pace }: Field): Promise<Line[]> {
  const two = await product.another({ flags: ['--workers', '2'] });
  const bareTwo = await startBare(2);
  const lines: Line[] = [];
  for (const name of ['view', 'create'] as const) {
    const work = await product.work(name);
    if (!work) continue;
    for (const floor of [bare, bareTwo]) await copyAnswer(floor, product, work);
    const measured = await measure(
      [
        { label: 'bare', server: bare, work, warm: true },
        { label: 'bare, 2 processes', server: bareTwo, work, warm: true },
        { label: 'product', server: product, work },
        { label: 'product, --workers 2', server: two, work, fresh: true },
      ],
      pace,
    );
    lines.push(...judge(name, measured));
  }
  await two.stop();
  return lines;
}

function judge(name: 'view' | 'create', measured: readonly Measured[]): Line[] {
  const factor = (measured[1]?.perSecond ?? 0) / (measured[0]?.perSecond ?? 1);
  // Reads grow as a server that does nothing does; all writes go through one process.
  const goal = name === 'view' ? factor * (goals.workers?.oneProcess ?? 0) : 1;
  return measured.map((one, index) => {
    const times = one.perSecond / (measured[index - 1]?.perSecond ?? 1);
    const line = {
      work: `workers (${name})`,
      measured: one,
      ofBare: one.perSecond / (measured[0]?.perSecond ?? 1),
    };
    const verdicts = index === 3 ? [atLeast(times, Number(goal.toFixed(2)), 'one process')] : [];
    return { ...line, verdicts, note: index % 2 === 1 ? `${times.toFixed(2)} times one` : undefined };
  });
}
