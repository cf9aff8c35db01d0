import { useEffect, useState } from 'preact/hooks';

/** Whether the last request got no answer. */
let offline = false;
const listeners = new Set<() => void>();

function become(now: boolean): void {
  if (offline === now) return;
  offline = now;
  for (const listener of [...listeners]) listener();
}

export const noteOffline = () => become(true);
export const noteOnline = () => become(false);

export function useOffline(): boolean {
  const [seen, setSeen] = useState(offline);
  useEffect(() => {
    const listener = () => setSeen(offline);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return seen;
}
