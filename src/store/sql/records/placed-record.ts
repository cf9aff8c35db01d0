import type { Values } from '../../../model/payload.ts';
import type { DumpedRecord } from '../../dump.ts';

export interface StoredRecord extends Omit<DumpedRecord, 'json'> {
  readonly values: Values;
  /** Characters of its JSON, where that was read. */
  readonly length?: number;
}

export interface PlacedRecord extends StoredRecord {
  /** The columns of folded keys that it stays without, as another record had them before. */
  readonly keyless?: ReadonlySet<string>;
}
