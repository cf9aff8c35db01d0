import { ConnectionLost, OutOfReach } from './faults.ts';
import type { Session } from './session.ts';

/** Milliseconds. Longer than the server waits for a lock. */
const longestWait = 9_000;

/** Takes a lock of the session, or gives up where the server does not answer in time. */
export async function takeLock(session: Session, lock: string): Promise<void> {
  const timer = setTimeout(() => session.destroy(new OutOfReach('no answer in time')), longestWait);
  await session.command(lock).finally(() => clearTimeout(timer));
}

/** Throws where the session is gone, and its locks with it: whoever commits under them asks first. */
export function requireLock(session: Session): void {
  if (session.lost) throw new ConnectionLost();
}
