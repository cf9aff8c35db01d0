import { ConnectionLost, OutOfReach } from './faults.ts';
import type { Session } from './session.ts';

/** Milliseconds. Longer than the server's lock timeout. */
const longestWait = 9_000;

/** Takes a session-level lock. Gives up if the server does not answer in time. */
export async function takeLock(session: Session, lock: string): Promise<void> {
  const timer = setTimeout(() => session.destroy(new OutOfReach('no answer in time')), longestWait);
  await session.command(lock).finally(() => clearTimeout(timer));
}

/** Throws if the session, and with it its locks, is lost. To be called before committing under them. */
export function requireLock(session: Session): void {
  if (session.lost) throw new ConnectionLost();
}
