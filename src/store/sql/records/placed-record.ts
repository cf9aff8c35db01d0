import type { ColumnValue } from '../../../model/field.ts';
import type { Values } from '../../../model/payload.ts';
import type { DumpedRecord } from '../../dump.ts';
import { recordValues } from '../../record-json.ts';
import { raw } from '../tag.ts';

export interface StoredRecord extends Omit<DumpedRecord, 'json'> {
  readonly values: Values;
  /** Characters of its JSON, where that was read. */
  readonly length?: number;
}

export interface PlacedRecord extends StoredRecord {
  /** The columns of folded keys that it stays without, as another record had them before. */
  readonly keyless?: ReadonlySet<string>;
}

/** Of a record's table, for `readRecord`. */
export const recordColumns = raw('seq, id, created, updated, owner, workspace, json');

export function readRecord(row: readonly ColumnValue[]): StoredRecord {
  const [seq, id, created, updated, owner, workspace, json] = row;
  return {
    seq: Number(seq),
    id: String(id),
    created: Number(created),
    updated: Number(updated),
    owner: owner as string | null,
    workspace: workspace as string | null,
    values: recordValues(String(json)),
    length: String(json).length,
  };
}
