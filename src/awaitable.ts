export type Awaitable<T> = T | Promise<T>;

/**
 * Goes on at once with what is there at once. A View that nothing has to wait for is answered without a promise, which
 * saves some 7 of its 30 µs: a dozen async functions, and the way a server takes for answers that come later.
 */
export function after<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}
