import type { JsonObject } from './json.ts';
import { hints } from './nearest.ts';

/** Records a fault without throwing, so that all faults are reported at once. */
export type Fault = (at: string, message: string) => void;

/** `at`: the prefix of a key's path. `full`: whether there are enough faults, because a body may have any number of keys. */
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
