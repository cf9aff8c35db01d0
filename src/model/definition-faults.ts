import type { JsonObject } from './json.ts';
import { hints } from './nearest.ts';

/** Notes what is wrong with a definition and goes on, so that every fault is named at once. */
export type Fault = (at: string, message: string) => void;

export function refuseUnknownKeys(raw: JsonObject, known: readonly string[], at: string, fault: Fault): void {
  const hint = hints(known);
  for (const key of Object.keys(raw)) {
    if (!known.includes(key)) {
      fault(`${at}${key}`, `is not a known key${hint(key) || `: use ${known.join(', ')}`}`);
    }
  }
}
