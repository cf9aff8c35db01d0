import type { CursorCipher } from '../access/cursor-cipher.ts';
import { formatInstant } from '../model/instant.ts';
import { selectFields } from '../records/select-fields.ts';
import type { FoundChange, LogPosition } from '../store/changes.ts';
import type { Following } from './following.ts';
import { closePosition } from './position.ts';

/** A change as callers see it: the same for any number of them, except for the tag of its position. */
export interface VisibleChange {
  readonly position: LogPosition;
  readonly kind: string;
  /** The position without its tag. */
  readonly closed: string;
  /** What comes after the position in its JSON. */
  readonly rest: string;
}

/** Leaves out what the caller may not follow. */
export function visibleChanges(
  cipher: CursorCipher,
  following: Following,
  changes: readonly FoundChange[],
): VisibleChange[] {
  return changes.flatMap((change) => {
    if (change.kind === 'refetch' && !following.includes(change.name, change.level)) return [];
    const { pos, mark, kind } = change;
    const position = { pos, mark };
    const rest = JSON.stringify({
      kind,
      collection: change.kind === 'refetch' ? change.name : following.shown.get(change.collection),
      _id: change.kind === 'refetch' ? null : change.id,
      at: formatInstant(change.at),
    });
    const record = change.kind === 'refetch' ? 'null' : recordJson(change.json, following.fields);
    return [
      {
        position,
        kind,
        closed: closePosition(cipher, position),
        rest: `${rest.slice(1, -1)},"record":${record}}`,
      },
    ];
  });
}

function recordJson(json: string | undefined, fields: readonly string[] | undefined): string {
  if (json === undefined) return 'null';
  return fields ? selectFields(json, fields) : json;
}

export const changeJson = ({ closed, rest }: VisibleChange, tag: string) =>
  `{"position":"${closed}.${tag}",${rest}`;

/** As an event of a stream. No JSON has a line feed in it. */
export const changeEvent = (change: VisibleChange, tag: string) =>
  `id: ${change.closed}.${tag}\nevent: ${change.kind}\ndata: ${changeJson(change, tag)}\n\n`;
