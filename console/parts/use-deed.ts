import { useState } from 'preact/hooks';

export interface Deed {
  readonly busy: boolean;
  /** Why the last run failed. */
  readonly error: unknown;
  /** Does nothing while a run is under way, so that a second click is ignored. */
  run(event?: Event): Promise<void>;
}

/**
 * The state of an action behind a button. `onDone`, which mostly closes a dialog, is called as soon as `work` is done, so `work`
 * should not wait for lists that are fetched again because of it.
 */
export function useDeed(work: () => Promise<unknown>, onDone: () => void = () => {}): Deed {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  return {
    busy,
    error,
    async run(event) {
      event?.preventDefault();
      if (busy) return;
      setBusy(true);
      setError(undefined);
      try {
        await work();
        onDone();
      } catch (caught) {
        setError(caught);
      }
      setBusy(false);
    },
  };
}
