import type { CellRules } from './cell.ts';
import type { Json, JsonObject } from './json.ts';

interface Common {
  readonly name: string;
  readonly required?: boolean;
  readonly default?: Json;
  readonly unique?: boolean;
  readonly index?: boolean;
  readonly label?: string;
  readonly description?: string;
}

interface Lengths {
  readonly minLength?: number;
  readonly maxLength?: number;
}

interface Items {
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface TextField extends Common, Lengths {
  readonly type: 'text';
  readonly pattern?: string;
  readonly options?: readonly string[];
}
export interface EmailField extends Common, Lengths {
  readonly type: 'email';
}
export interface UrlField extends Common, Lengths {
  readonly type: 'url';
}
export interface ContentField extends Common, Lengths {
  readonly type: 'content';
}
export interface NumberField extends Common {
  readonly type: 'number';
  readonly min?: number;
  readonly max?: number;
  readonly integer?: boolean;
}
export interface BooleanField extends Common {
  readonly type: 'boolean';
}
export interface DatetimeField extends Common {
  readonly type: 'datetime';
  readonly min?: string;
  readonly max?: string;
}
export interface ListField extends Common, Items {
  readonly type: 'list';
  readonly of: ScalarField;
  readonly uniqueItems?: boolean;
}
export interface RelationField extends Common, Items {
  readonly type: 'relation';
  readonly to: string;
  readonly kind: 'single' | 'multiple';
  readonly onDelete: OnDelete;
}

export type OnDelete = 'clear' | 'restrict' | 'cascade';
export type ScalarField =
  | TextField
  | EmailField
  | UrlField
  | ContentField
  | NumberField
  | BooleanField
  | DatetimeField;
export type Field = ScalarField | ListField | RelationField;
export type FieldTypeName = Field['type'];

/** What a database column can hold of a field: booleans as 0 and 1, datetimes as milliseconds since 1970. */
export type ColumnValue = string | number | null;
export type ColumnKind = 'text' | 'real' | 'integer';

export type Operator = '=' | '!=' | '>' | '>=' | '<' | '<=';

/** Notes a broken rule; `at` goes after the name of the field: `[2]`. */
export type Report = (message: string, at?: string) => void;

/** Returns the value as it is to be stored, or undefined after reporting why it can't be. */
export type Check = (value: Json, report: Report) => Json | undefined;

/** Reads one key of a field's definition: the value, or undefined after reporting what is wrong. */
export type ReadConstraint = (raw: Json, report: Report) => unknown;

export interface FilterRules {
  /** Those that take a value. */
  readonly operators: readonly Operator[];
  /** What the column holds where the field is unset or empty: an empty value of `=` and `!=` asks for these. */
  readonly unset: readonly ColumnValue[];
  /** Whether `=` takes several values, of which any may match. */
  readonly alternatives: boolean;
  /** A value out of the query string, or undefined where it is not one. */
  read(text: string): ColumnValue | undefined;
  /** What `read` takes, for the message when it does not. */
  readonly expects: string;
  /** A value to compare with, of a type that takes no `=`. */
  readonly example?: string;
}

/** JSON Schemas (2020-12) of the values of a type, unset ones apart. */
export interface ValueSchemas<F extends Field = Field> {
  /** What may be sent: the rules of `compile`, as far as a schema can say them. */
  sent(field: F): JsonObject;
  /** What is answered. It holds for values from before a rule became stricter too. */
  answered(field: F): JsonObject;
  /** One value of a filter. */
  filtered(field: F): JsonObject;
}

/** All there is to know about one type of field. One file each, in fields/. */
export interface FieldType<F extends Field = Field> {
  readonly type: F['type'];
  /** The keys a definition may hold beside those of every type. */
  readonly constraints: Readonly<Record<string, ReadConstraint>>;
  /** Reports constraints that contradict each other. */
  verify?(field: F, report: Report): void;
  /** Compiled once per schema version. Never sees null. */
  compile(field: F): Check;
  readonly schema: ValueSchemas<F>;
  /** Whether the field holds several values, each in a row of a table of its own. */
  readonly plural: (field: F) => boolean;
  /** May `unique` be asked for? */
  readonly uniqueAllowed: (field: F) => boolean;
  readonly column: (field: F) => ColumnKind;
  toColumn(value: Json, field: F): ColumnValue;
  fromColumn(value: ColumnValue, field: F): Json;
  filter(field: F): FilterRules;
  /** How values stand in a CSV file or a spreadsheet. */
  cells(field: F): CellRules;
  /** Does `search` look here? */
  readonly searchable: (field: F) => boolean;
  /** A value for the documentation; undefined where none is known, as for a text that must match a pattern. */
  example(field: F): Json | undefined;
}
