import type { Step } from './step.ts';

/** The steps without those that are not needed to keep `fails` true, as far as time allows. */
export async function shrink(
  steps: readonly Step[],
  fails: (steps: readonly Step[]) => Promise<boolean>,
  until: number,
): Promise<readonly Step[]> {
  let left = steps;
  for (let size = Math.ceil(left.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < left.length; ) {
      if (Date.now() > until) return left;
      const fewer = [...left.slice(0, start), ...left.slice(start + size)];
      if (await fails(fewer)) left = fewer;
      else start += size;
    }
  }
  return left;
}
