import type { Collection } from '../model/collection.ts';
import type { CsvRules } from './csv-header.ts';
import { csvRows } from './csv-rows.ts';
import { jsonRows, ndjsonRows } from './json-rows.ts';
import type { Rows } from './row.ts';

export const formats = ['csv', 'json', 'ndjson'] as const;

export interface Reading {
  readonly format: (typeof formats)[number];
  readonly csv: CsvRules;
}

/** The rows of a file, whose text comes in parts. */
export function readRows(
  texts: AsyncIterable<string>,
  collection: Collection,
  { format, csv }: Reading,
): Rows {
  switch (format) {
    case 'csv':
      return csvRows(texts, collection, csv);
    case 'json':
      return jsonRows(texts, csv.ignoreService);
    case 'ndjson':
      return ndjsonRows(texts, csv.ignoreService);
  }
}
