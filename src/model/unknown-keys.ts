import type { JsonObject } from './json.ts';
import { hints } from './nearest.ts';

/** Notes what is wrong at a place and goes on, so that every fault is named at once. */
export type Fault = (at: string, message: string) => void;

/** `at`: what stands before the name of a key. `full`: whether enough faults are noted, as anybody may send any number of keys. */
export function refuseUnknownKeys(
  raw: JsonObject,
  known: readonly string[],
  at: string,
  fault: Fault,
  full: () => boolean = () => false,
): void {
  const hint = hints(known);
  for (const key in raw) {
    if (full()) return;
    if (!known.includes(key)) {
      fault(`${at}${key}`, `is not a known key${hint(key) || `: use ${known.join(', ')}`}`);
    }
  }
}
