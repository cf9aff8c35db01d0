import { atLeast, goals } from '../goals.ts';
import { measure } from '../measure.ts';
import type { Line } from '../report.ts';
import type { Field } from './field.ts';

/** What a user's token at level user costs, beside a public collection of the same records. */
export async function measureTwins(
  { product, pace }: Field,
  name: 'user-view' | 'user-list',
): Promise<Line[]> {
  const { user, open } = await product.twins(name);
  const measured = await measure(
    [
      { label: 'public twin', server: product, work: open },
      { label: 'with token', server: product, work: user },
    ],
    pace,
  );
  const of = (label: string) => measured.find((one) => one.label === label)?.perSecond ?? 0;
  const ratio = of('with token') / of('public twin');
  return measured.map((one) => {
    const mine = one.label === 'with token';
    return {
      work: name,
      measured: one,
      verdicts: mine ? [atLeast(ratio, goals[name]?.open ?? 0, 'public')] : [],
      note: mine ? `${ratio.toFixed(2)} of public` : undefined,
    };
  });
}
