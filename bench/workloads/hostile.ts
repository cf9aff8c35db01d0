import { atMost, goals } from '../goals.ts';
import { measure, type Target } from '../measure.ts';
import { startPaced } from '../pacing.ts';
import type { Line } from '../report.ts';
import type { Field } from './field.ts';

const viewsPerSecond = 2_000;

/** View alone, and View while one after another of the most expensive reads is asked for. */
export async function measureHostile({ product, pace }: Field): Promise<Line[]> {
  const [view, hostile] = [await product.work('view'), await product.work('hostile')];
  if (!view || !hostile) return [];
  let done = 0;
  const beside = async () => {
    let over = false;
    const asking = (async () => {
      for (let next = 0; !over; next++) {
        const path = hostile.reads[next % hostile.reads.length] ?? '';
        await (await fetch(`${product.base}${path.replace('{n}', String(done))}`)).arrayBuffer();
        done += 1;
      }
    })();
    return async () => {
      over = true;
      await asking;
    };
  };
  const target = (label: string): Target => ({
    ...{ label, server: product, work: view },
    run: async (seconds) => {
      const paced = startPaced(product, view, { perSecond: viewsPerSecond, seconds });
      const { perSecond, p50, p99, failed } = await paced.result();
      return { perSecond, p50, p99, bytes: 0, errors: failed };
    },
  });
  const pair = await measure([target('alone'), { ...target('beside hostile reads'), beside }], pace);
  const ratio = (pair[1]?.p99 ?? 0) / (pair[0]?.p99 ?? 1);
  return pair.map((measured, index) => {
    if (index === 0) return { work: 'hostile (View)', measured, verdicts: [] };
    return {
      work: 'hostile (View)',
      measured,
      verdicts: [atMost(ratio, goals.hostile?.p99 ?? 0, 'p99 alone')],
      note: `${ratio.toFixed(2)} times the p99, beside ${done} expensive reads`,
    };
  });
}
