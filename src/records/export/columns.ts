import type { Cell, CellRules } from '../../model/cell.ts';
import type { Collection } from '../../model/collection.ts';
import { fieldType } from '../../model/field-types.ts';
import { instantCells } from '../../model/fields/datetime.ts';
import { idCells } from '../../model/fields/relation.ts';
import type { JsonObject } from '../../model/json.ts';

export interface Column extends CellRules {
  readonly name: string;
}

/** As in a record of View All: `_id` always comes first. */
export function columnsOf({ fields }: Collection, names: readonly string[] | undefined): Column[] {
  const chosen = names ?? [...fields.keys(), '_createdAt', '_updatedAt'];
  return ['_id', ...chosen.filter((name) => name !== '_id')].map((name) => {
    const field = fields.get(name);
    if (field) return { name, ...fieldType(field).cells(field) };
    return { name, ...(name === '_createdAt' || name === '_updatedAt' ? instantCells : idCells) };
  });
}

/** A record's cells in the order of the columns; undefined where nothing is set. */
export function readCells(columns: readonly Column[], text: string): (Cell | undefined)[] {
  const record = JSON.parse(text) as JsonObject;
  return columns.map(({ name, cell }) => {
    const value = record[name];
    return value === null || value === undefined ? undefined : cell(value);
  });
}
