export interface Page {
  readonly limit: number;
  readonly offset: number;
}

export interface Paged<T> {
  readonly total: number;
  readonly found: readonly T[];
}
