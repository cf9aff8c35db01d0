export type Awaitable<T> = T | Promise<T>;

/**
 * Goes on at once with what is there at once. A View that nothing has to wait for is answered without a promise, which
 * saves some 7 of its 30 µs: a dozen async functions, and the way a server takes for answers that come later.
 */
export function after<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Work that can be interrupted at each `yield`, as it may take long: a large body, a description of a large project. */
export type Steps<T> = Generator<void, T, void>;

/** Milliseconds of work after which others get their turn. */
const longestStep = 5;

/** Does the work with everything else that waits in between. */
export async function inSteps<T>(steps: Steps<T>): Promise<T> {
  let begun = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - begun < longestStep) continue;
    await new Promise<void>((resolve) => setImmediate(resolve));
    begun = performance.now();
  }
}

/** Does all of it now: for what is known to be little. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}
