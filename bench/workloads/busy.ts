import { atMost, goals } from '../goals.ts';
import { type Measured, measure, type Target } from '../measure.ts';
import { startPaced } from '../pacing.ts';
import type { Line } from '../report.ts';
import type { Server, Work } from '../server.ts';
import { median } from '../wrk.ts';
import { copyAnswer } from './common.ts';
import type { Field } from './field.ts';

const creationsPerSecond = 2_000;
const viewsPerSecond = 5_000;

/**
 * View alone, and View while creations come at an even pace: as fast as it goes, and at an even pace itself. The bare server,
 * which writes nothing, tells what of it is due to the generators on the same cores.
 */
export async function measureBusy({ product, bare, pace, quick }: Field): Promise<Line[]> {
  const [view, create] = [await product.work('view'), await product.work('create')];
  if (!view || !create) return [];
  await copyAnswer(bare, product, view);
  const pair = async (server: Server, even: boolean): Promise<Line[]> => {
    const rates: number[] = [];
    const beside = async (seconds: number) => {
      const creations = startPaced(server, create, { perSecond: creationsPerSecond, seconds: seconds + 1 });
      await Bun.sleep(500);
      return async () => void rates.push((await creations.result()).perSecond);
    };
    const target = (label: string): Target => ({
      ...{ label: even ? `${label}, ${viewsPerSecond}/s` : label, server, work: view },
      ...(even && { run: (seconds: number) => pacedRound(server, view, seconds) }),
    });
    const name = server === bare ? 'bare ' : '';
    const targets = [target(`${name}alone`), { ...target(`${name}beside creates`), beside }];
    return judge(await measure(targets, pace), median(rates), server === product);
  };
  const lines: Line[] = [];
  for (const even of quick ? [false] : [false, true]) {
    for (const server of [product, bare]) lines.push(...(await pair(server, even)));
  }
  return lines;
}

async function pacedRound(server: Server, work: Work, seconds: number) {
  const { perSecond, p50, p99, failed } = await startPaced(server, work, {
    ...{ perSecond: viewsPerSecond, seconds },
  }).result();
  return { perSecond, p50, p99, bytes: 0, errors: failed };
}

/** With fewer creations than it says, the goal is not met whatever the times are. */
function judge(pair: readonly Measured[], rate: number, isGoal: boolean): Line[] {
  const ratio = (pair[1]?.p99 ?? 0) / (pair[0]?.p99 ?? 1);
  const enough = rate >= 0.95 * creationsPerSecond;
  return pair.map((measured, index) => {
    if (index === 0) return { work: 'busy (View)', measured, verdicts: [] };
    const verdict = atMost(ratio, goals.busy?.p99 ?? 0, 'p99 alone');
    return {
      work: 'busy (View)',
      measured,
      verdicts: isGoal ? [{ ...verdict, ok: verdict.ok && enough }] : [],
      note: `${ratio.toFixed(2)} times the p99, beside ${Math.round(rate)} creates/s`,
    };
  });
}
