import { v7 as uuidv7 } from 'uuid';
import { Failure } from '../failure.ts';
import type { Collection } from '../model/collection.ts';
import type { PayloadReader } from '../model/payload.ts';
import { searchText } from '../model/search.ts';
import type { CheckedRow, Row } from './row.ts';

/** Does all for a row that needs no store. */
export function checkRow(collection: Collection, payload: PayloadReader, row: Row): CheckedRow {
  if ('fault' in row) return row;
  try {
    const { values, binding } = payload.create(row.body, true);
    return {
      ...{ line: row.line, id: uuidv7(), values, binding },
      ...{ valuesJson: JSON.stringify(values), searchText: searchText(collection, values) },
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { line: row.line, fault: error.message };
  }
}
