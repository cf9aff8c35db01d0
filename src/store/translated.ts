/** The same calls, with the faults of an engine told as what they are to a caller. */
export function translated<T extends object>(calls: T, translate: (error: unknown) => unknown): T {
  const wrap = (call: (...words: unknown[]) => Promise<unknown>) => {
    return (...words: unknown[]) =>
      call(...words).catch((error: unknown) => {
        throw translate(error);
      });
  };
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, wrap(call)])) as T;
}
