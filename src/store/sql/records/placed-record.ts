import type { Values } from '../../../model/payload.ts';

export interface StoredRecord {
  readonly seq: number;
  readonly id: string;
  readonly created: number;
  readonly updated: number;
  readonly owner: string | null;
  readonly workspace: string | null;
  readonly values: Values;
}

export interface PlacedRecord extends StoredRecord {
  /** The columns of folded keys that it stays without, as another record had them before. */
  readonly keyless?: ReadonlySet<string>;
}
