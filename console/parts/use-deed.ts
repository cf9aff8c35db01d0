import { useState } from 'preact/hooks';

export interface Deed {
  readonly busy: boolean;
  /** Why it was not done. */
  readonly error: unknown;
  /** Does it once: while it is under way another click does nothing. */
  run(event?: Event): Promise<void>;
}

/**
 * What a person asks for with a button: under way, done, or refused. `onDone` follows at once, so the work must not wait for
 * lists that are asked anew because of it.
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
