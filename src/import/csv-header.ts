import { Failure, type Issue, invalid } from '../failure.ts';
import type { CellRules } from '../model/cell.ts';
import type { Collection } from '../model/collection.ts';
import { fieldType } from '../model/field-types.ts';
import { idCells } from '../model/fields/relation.ts';
import { restoreDefused } from '../model/formula.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { didYouMean } from '../model/nearest.ts';
import { type Row, serviceFields } from './row.ts';

export interface CsvRules {
  /** The character between cells. */
  readonly separator: string;
  readonly ignoreService: boolean;
  /** Whether to remove the ' that an export puts before what looks like a formula. */
  readonly restoreFormulas: boolean;
}

interface Column {
  readonly name: string;
  readonly cells: CellRules;
  /** Whether its cells may have such a ', as they are texts or lists. */
  readonly defused: boolean;
}

/** Returns a function that turns cells into rows. Throws a Failure that names every column that is not a field. */
export function readHeader(
  names: readonly string[],
  { fields }: Collection,
  { separator, ignoreService, restoreFormulas }: CsvRules,
): (line: number, cells: readonly string[]) => Row {
  const issues: Issue[] = [];
  const columns = names.map((name, index): Column | undefined => {
    const fault = (message: string) => issues.push({ at: `column ${index + 1} '${name}'`, message });
    if (names.indexOf(name) < index) fault('is in the header twice');
    if (serviceFields.includes(name)) {
      if (!ignoreService) fault('is set by the service: leave it out, or give --ignore-service-fields');
      return undefined;
    }
    const field = fields.get(name);
    if (field) {
      const { cells, plural, column } = fieldType(field);
      const isText = plural(field) || column(field) === 'text'; // a list such as -1, 2 looks like a formula too
      return { name, cells: cells(field), defused: restoreFormulas && isText };
    }
    if (name === '_owner' || name === '_workspace') return { name, cells: idCells, defused: false };
    fault(`is no field of the collection${didYouMean(name, fields.keys())}`);
    return undefined;
  });
  if (issues.length > 0) throw otherSeparator(names, separator) ?? invalid(issues);
  return (line, cells) => readRow(columns, line, cells);
}

/** A single column whose name contains another common separator: then the separator is wrong, and not the name. */
function otherSeparator(names: readonly string[], separator: string): Failure | undefined {
  const [only = ''] = names;
  const found = [';', '\t', '|', ','].find((one) => one !== separator && only.includes(one));
  if (names.length > 1 || found === undefined) return undefined;
  const shown = found === '\t' ? 'tab' : `'${found}'`;
  return new Failure('invalid', `the columns seem to be separated by ${shown}: give --separator ${shown}`);
}

function readRow(columns: readonly (Column | undefined)[], line: number, cells: readonly string[]): Row {
  if (cells.length !== columns.length) {
    return { line, fault: `has ${cells.length} cells where the header has ${columns.length}` };
  }
  const faults: string[] = [];
  const body: Record<string, Json> = {};
  for (const [index, column] of columns.entries()) {
    if (!column) continue;
    const cell = cells[index] ?? '';
    const value = readCell(column, cell);
    if (value === undefined) faults.push(`${column.name}: must be ${column.cells.expects}, not '${cell}'`);
    else body[column.name] = value;
  }
  return faults.length > 0 ? { line, fault: faults.join('; ') } : { line, body: body as JsonObject };
}

function readCell({ cells, defused }: Column, cell: string): Json | undefined {
  if (cell === '') return null;
  return cells.read(defused ? restoreDefused(cell) : cell);
}
