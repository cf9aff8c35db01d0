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

/** A value as a database column stores it: booleans as 0 and 1, datetimes as milliseconds since 1970. */
export type ColumnValue = string | number | null;
export type ColumnKind = 'text' | 'real' | 'integer';

export type Operator = '=' | '!=' | '>' | '>=' | '<' | '<=';

/** Reports a violated rule; `at` is appended to the field's name: `[2]`. */
export type Report = (message: string, at?: string) => void;

/** Returns the value in the form to store, or undefined after reporting why it is invalid. */
export type Check = (value: Json, report: Report) => Json | undefined;

/** Reads one key of a field's definition: the value, or undefined after reporting what is wrong. */
export type ReadConstraint = (raw: Json, report: Report) => unknown;

export interface FilterRules {
  /** The operators that take a value. */
  readonly operators: readonly Operator[];
  /** What the column contains if the field is unset or empty: an empty value of `=` and `!=` asks for these. */
  readonly unset: readonly ColumnValue[];
  /** Whether `=` takes several values, any of which may match. */
  readonly alternatives: boolean;
  /** Parses a value of the query string; undefined if it is invalid. */
  read(text: string): ColumnValue | undefined;
  /** What `read` accepts, for the error message. */
  readonly expects: string;
  /** An example of a value to compare with, for types without `=`. */
  readonly example?: string;
}

/** JSON Schemas (2020-12) for the values of a type, except unset ones. */
export interface ValueSchemas<F extends Field = Field> {
  /** What may be sent: the rules of `compile`, as far as a schema can express them. */
  sent(field: F): JsonObject;
  /** What is returned; also valid for values that are older than a stricter rule. */
  answered(field: F): JsonObject;
  /** One value of a filter. */
  filtered(field: F): JsonObject;
}

/** Everything about one field type. Each has a file in fields/. */
export interface FieldType<F extends Field = Field> {
  readonly type: F['type'];
  /** The keys of a definition that are specific to this type. */
  readonly constraints: Readonly<Record<string, ReadConstraint>>;
  /** Reports constraints that contradict each other. */
  verify?(field: F, report: Report): void;
  /** Compiled once per schema version. Never sees null. */
  compile(field: F): Check;
  readonly schema: ValueSchemas<F>;
  /** Whether the field holds several values, each in a row of a separate table. */
  readonly plural: (field: F) => boolean;
  /** Whether the field may be `unique`. */
  readonly uniqueAllowed: (field: F) => boolean;
  readonly column: (field: F) => ColumnKind;
  toColumn(value: Json, field: F): ColumnValue;
  fromColumn(value: ColumnValue, field: F): Json;
  filter(field: F): FilterRules;
  /** How values are written in CSV files and spreadsheets. */
  cells(field: F): CellRules;
  /** Whether `search` includes this field. */
  readonly searchable: (field: F) => boolean;
  /** A value for the documentation; undefined if none is known, as for a text that must match a pattern. */
  example(field: F): Json | undefined;
}
