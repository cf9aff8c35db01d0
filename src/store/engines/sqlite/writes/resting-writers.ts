import type { Writers } from './writers.ts';

/** Milliseconds without an open file after which the thread rests: a project that is replaced is opened again at once. */
const soon = 1_000;

/** The same writers. Calls `rest` when no file has been open for a while: projects are closed when nobody uses them. */
export function restingWriters(writers: Writers, rest: () => void, after = soon): Writers {
  let open = 0;
  let resting: ReturnType<typeof setTimeout> | undefined;
  const left = () => {
    open -= 1;
    if (open > 0) return;
    resting = setTimeout(rest, after);
    resting.unref();
  };
  return {
    ...writers,
    async open(path) {
      open += 1;
      clearTimeout(resting);
      try {
        const file = await writers.open(path);
        let closed = false;
        const close = () =>
          file.close().finally(() => {
            if (!closed) left();
            closed = true;
          });
        return { ...file, close };
      } catch (error) {
        left();
        throw error;
      }
    },
  };
}
