import type { ColumnValue } from '../../../model/field.ts';
import type { Values } from '../../../model/payload.ts';
import type { DumpedRecord } from '../../dump.ts';
import { recordValues } from '../../record-json.ts';
import { raw } from '../tag.ts';

export interface StoredRecord extends Omit<DumpedRecord, 'json'> {
  readonly values: Values;
  /** Characters of its JSON, if that was read. */
  readonly length?: number;
}

export interface PlacedRecord extends StoredRecord {
  /** Columns of folded keys that stay empty, as another record had the key before. */
  readonly keyless?: ReadonlySet<string>;
}

/** Columns of a record's table, for `readRecord`. */
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
