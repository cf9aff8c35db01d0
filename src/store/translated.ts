/** Wraps the calls so that an engine's errors are translated into failures that mean something to the caller. */
export function translated<T extends object>(calls: T, translate: (error: unknown) => unknown): T {
  const wrap = (call: (...args: unknown[]) => Promise<unknown>) => {
    return (...args: unknown[]) =>
      call(...args).catch((error: unknown) => {
        throw translate(error);
      });
  };
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, wrap(call)])) as T;
}
