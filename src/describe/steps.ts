/** Work whose length depends on the project, in steps: at each `yield` others may go first. */
export type Steps<T> = Generator<void, T>;

/** Milliseconds that others wait at most, and then the length of a step. */
const longest = 5;

export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  let start = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - start < longest) continue;
    await new Promise((resolve) => setImmediate(resolve));
    start = performance.now();
  }
}

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
