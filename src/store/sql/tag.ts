import type { ColumnValue } from '../../model/field.ts';

/** A table by its name in the project or instance; each engine qualifies it. */
interface TableName {
  readonly table: string;
}

/** Placeholder of a value. */
const place = Symbol('value');

type Part = string | TableName | typeof place;

/** A piece of SQL with its values separate from its text. */
export interface Sql {
  /** In plain form, with bare table names and `?` for values: what SQLite takes, and what identifies the text. */
  readonly text: string;
  /** The same in parts, for an engine that writes tables and values differently. */
  readonly parts: readonly Part[];
  readonly values: readonly ColumnValue[];
}

/** How an engine writes tables and placeholders. */
export interface SqlStyle {
  table(name: string): string;
  /** Counted from 1. */
  placeholder(number: number): string;
}

export function writeSql(parts: readonly Part[], style: SqlStyle): string {
  let places = 0;
  const texts = parts.map((part) => {
    if (typeof part === 'string') return part;
    if (part !== place) return style.table(part.table);
    places += 1;
    return style.placeholder(places);
  });
  return texts.join('');
}

type Argument = Sql | ColumnValue;

interface Built extends Pick<Sql, 'text' | 'parts'> {
  /** The texts of the pieces, undefined for values. */
  readonly pieces: readonly (string | undefined)[];
}

/** Per template: about as many as there are collections, orders and sets of columns in use at a time. */
const mostBuilt = 16;
/** Characters: a longer text is hardly ever used again. */
const longestBuilt = 20_000;

/**
 * What each template was last built to, the newest first. It is mostly the same again, and the very same string is found among
 * the prepared statements without being hashed again.
 */
const built = new WeakMap<TemplateStringsArray, Built[]>();

/** sql`SELECT ${column} FROM ${table} WHERE id = ${id}`: pieces are spliced in, anything else is a value. */
export function sql(strings: TemplateStringsArray, ...args: readonly Argument[]): Sql {
  const values: ColumnValue[] = [];
  for (const arg of args) {
    if (!isPiece(arg)) values.push(arg);
    else for (const value of arg.values) values.push(value);
  }
  const { text, parts } = findBuilt(strings, args);
  return { text, parts, values };
}

const isPiece = (arg: Argument): arg is Sql => typeof arg === 'object' && arg !== null;

function findBuilt(strings: TemplateStringsArray, args: readonly Argument[]): Built {
  let known = built.get(strings);
  if (!known) {
    refuseBareTables(strings);
    known = [];
    built.set(strings, known);
  }
  const at = known.findIndex(({ pieces }) => isSame(pieces, args));
  const found = known[at] ?? build(strings, args);
  if (at === 0 || found.text.length > longestBuilt) return found;
  if (at > 0) known.splice(at, 1);
  else if (known.length === mostBuilt) known.pop();
  known.unshift(found);
  return found;
}

function isSame(pieces: Built['pieces'], args: readonly Argument[]): boolean {
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] as Argument;
    if (pieces[index] !== (isPiece(arg) ? arg.text : undefined)) return false;
  }
  return true;
}

function build(strings: TemplateStringsArray, args: readonly Argument[]): Built {
  const parts: Part[] = [];
  const pieces: (string | undefined)[] = [];
  let text = '';
  for (const [index, string] of strings.entries()) {
    text += string;
    parts.push(string);
    if (index === args.length) break;
    const arg = args[index] as Argument;
    pieces.push(isPiece(arg) ? arg.text : undefined);
    text += isPiece(arg) ? arg.text : '?';
    if (isPiece(arg)) for (const part of arg.parts) parts.push(part);
    else parts.push(place);
  }
  return { text, parts, pieces };
}

const bareTable = /\b(?:FROM|JOIN|INTO|UPDATE)\s+([a-z_]+)/;

/** The template itself is the same on every engine, but table names are not. */
function refuseBareTables(strings: TemplateStringsArray): void {
  for (const string of strings) {
    const name = bareTable.exec(string)?.[1];
    if (name !== undefined && known.has(name))
      throw new Error(`write \${tables.${name}} in place of ${name}, which is elsewhere on PostgreSQL`);
  }
}

/** Text that already is SQL. Only for names made in names.ts and for constants, without values or tables. */
export function raw(text: string): Sql {
  return { text, parts: [text], values: [] };
}

const known = new Set<string>();

export function table(name: string): Sql {
  return { text: name, parts: [{ table: name }], values: [] };
}

/** The tables that every project, or the instance, has once. */
export function namedTables<Name extends string>(names: readonly Name[]): Readonly<Record<Name, Sql>> {
  for (const name of names) known.add(name);
  return Object.fromEntries(names.map((name) => [name, table(name)])) as Record<Name, Sql>;
}

export function join(pieces: readonly Sql[], separator: string): Sql {
  const [first] = pieces;
  if (first && pieces.length === 1) return first;
  return {
    text: pieces.map(({ text }) => text).join(separator),
    parts: pieces.flatMap(({ parts }, index) => (index === 0 ? parts : [separator, ...parts])),
    values: pieces.flatMap(({ values }) => values),
  };
}
