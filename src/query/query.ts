import { type Caller, mayBind } from '../access/caller.ts';
import { findViewScope } from '../access/scope.ts';
import { Issues } from '../failure.ts';
import { type Collection, type Method, methodLevel } from '../model/collection.ts';
import { fieldType } from '../model/field-types.ts';
import { didYouMean, fewHints, hints } from '../model/nearest.ts';
import { readSearch } from '../model/search.ts';
import type { Condition, IncludePlan, IncludeStep, SortKey } from '../store/plans.ts';
import type { StoredCollection } from '../store/schema.ts';
import { readFilter } from './filter.ts';
import type { Parameter } from './query-string.ts';

const deepestInclude = 3;
const mostConditions = 200;
/** Most words of a search. */
export const mostWords = 32;
const mostSortKeys = 10;
const mostPaths = 20;

const serviceFields = ['_id', '_createdAt', '_updatedAt'];
const bindingFields = ['_owner', '_workspace'];
const isBinding = (name: string) => bindingFields.includes(name);
const bindingRule = 'needs a method of level user or workspace, a server key or the administrator';

/** Reads the parameters of one request and collects their faults. */
export class Query {
  readonly #issues = new Issues();
  readonly #rest = new Map<string, Parameter[]>();
  #hint: ((name: string) => string) | undefined;
  /** Hints for misspelled field names. */
  readonly hint = fewHints();

  constructor(parameters: readonly Parameter[]) {
    for (const parameter of parameters) {
      const same = this.#rest.get(parameter.name);
      if (same) same.push(parameter);
      else this.#rest.set(parameter.name, [parameter]);
      if (parameter.ambiguous)
        this.fault(parameter.name || '(empty)', "has '=' twice: a value that begins with '=' is written %3D");
    }
  }

  /** The value of a parameter that may be given once. */
  take(name: string): string | undefined {
    const given = this.#rest.get(name);
    if (!given) return undefined;
    this.#rest.delete(name);
    const [first] = given;
    if (given.length > 1) this.fault(name, 'is given more than once');
    if (first?.operator !== '=') this.fault(name, `takes '=', not '${first?.operator}'`);
    return first?.value;
  }

  takeNumber(name: string, fallback: number, most: number): number {
    const text = this.take(name);
    if (text === undefined) return fallback;
    const value = /^\d+$/.test(text) ? Number(text) : 0;
    const bounded = most !== Number.MAX_SAFE_INTEGER;
    if (value >= 1 && (value <= most || !bounded)) return Math.min(value, most);
    const upTo = bounded ? ` to ${most}` : '';
    this.fault(name, `must be a whole number from 1${upTo}, not '${text}'`);
    return fallback;
  }

  /** Reads `a,b,c`; duplicates are dropped. */
  takeNames(name: string): string[] | undefined {
    const text = this.take(name);
    if (text === undefined) return undefined;
    const names = text.split(',').map((part) => part.trim());
    if (names.includes('')) this.fault(name, 'must be one or more names, separated by commas');
    return [...new Set(names)].filter((part) => part !== '');
  }

  takeSearch(): string[] {
    const words = readSearch(this.take('search') ?? '');
    if (words.length > mostWords)
      this.fault('search', `must be at most ${mostWords} words, not ${words.length}`);
    return words;
  }

  /**
   * Reads the remaining parameters as filters. `known`: the other parameters of the operation, for the hint; `binding`: whether
   * the caller may use `_owner` and `_workspace`.
   */
  takeFilters(collection: Collection, known: readonly string[], binding: boolean): Condition[] {
    const conditions: Condition[] = [];
    let names: readonly string[] | undefined;
    for (const [name, given] of this.#rest) {
      const read = readFilter(collection, name, given, (message) => this.fault(name, message));
      if (!read) {
        names ??= [...known, ...collection.fields.keys(), ...serviceFields];
        this.#unknown(name, names);
      } else if (isBinding(name) && !binding) this.fault(name, bindingRule);
      for (const condition of read ?? []) conditions.push(condition);
    }
    this.#rest.clear();
    if (conditions.length > mostConditions) {
      this.fault('filters', `must be at most ${mostConditions} conditions, not ${conditions.length}`);
    }
    return conditions;
  }

  /** Refuses the remaining parameters: for operations without filters. */
  refuseRest(known: readonly string[]): void {
    for (const name of this.#rest.keys()) this.#unknown(name, known);
    this.#rest.clear();
  }

  fault(at: string, message: string): void {
    this.#issues.note(at, message);
  }

  /** Throws if there were faults. */
  done(): void {
    this.#issues.done();
  }

  #unknown(name: string, known: readonly string[]): void {
    this.#hint ??= hints(known);
    const hint = this.#hint(name) || (known.length === 0 ? ': this method takes none' : '');
    this.fault(name || '(empty)', `is not a known parameter${hint}`);
  }
}

export function readSort(query: Query, collection: Collection): SortKey[] {
  const keys = (query.takeNames('sort') ?? ['_createdAt']).map((text) => {
    const descending = text.startsWith('-');
    return { name: descending ? text.slice(1) : text, descending };
  });
  if (keys.some(({ name }) => name === ''))
    query.fault('sort', 'must be names of fields, such as -price,title');
  if (keys.length > mostSortKeys)
    query.fault('sort', `must be at most ${mostSortKeys} names, not ${keys.length}`);
  for (const { name } of keys.slice(0, mostSortKeys)) {
    const field = collection.fields.get(name);
    if (field && fieldType(field).plural(field))
      query.fault('sort', `'${name}' holds several values and has no order`);
    else if (!field && name !== '' && !serviceFields.includes(name))
      unknownField(query, 'sort', name, collection);
  }
  return keys;
}

/** Who may use `_owner` and `_workspace`: only callers who can't learn about others that way. */
export function maySeeBinding(caller: Caller, collection: Collection, method: Method): boolean {
  return mayBind(caller) || (caller.kind === 'user' && methodLevel(collection, method) !== 'public');
}

export function readFields(query: Query, collection: Collection, binding: boolean): string[] | undefined {
  const names = query.takeNames('fields');
  const most = collection.fields.size + serviceFields.length + bindingFields.length;
  if (names && names.length > most)
    query.fault('fields', `must be at most ${most} names, not ${names.length}`);
  for (const name of names?.slice(0, most) ?? []) {
    if (collection.fields.has(name) || serviceFields.includes(name)) continue;
    if (!isBinding(name)) unknownField(query, 'fields', name, collection);
    else if (!binding) query.fault('fields', `'${name}' ${bindingRule}`);
  }
  return names;
}

export function readInclude(query: Query, collection: StoredCollection, caller: Caller): IncludePlan[] {
  const paths = query.takeNames('include') ?? [];
  if (paths.length > mostPaths)
    query.fault('include', `must be at most ${mostPaths} paths, not ${paths.length}`);
  return paths
    .slice(0, mostPaths)
    .map((path) => ({ path, steps: readPath(query, path, collection, caller) }));
}

function readPath(query: Query, path: string, collection: StoredCollection, caller: Caller): IncludeStep[] {
  const names = path.split('.');
  if (names.length > deepestInclude) {
    query.fault('include', `'${path}' is too deep: at most ${deepestInclude} relations can be followed`);
    return [];
  }
  const steps: IncludeStep[] = [];
  let current = collection;
  for (const name of names) {
    const relation = current.relations.find(({ field }) => field.name === name);
    if (!relation) {
      // Callers are told no names of a collection in which they may view nothing.
      const isHidden = steps.length > 0 && steps.at(-1)?.scope === undefined;
      const relations = isHidden ? [] : current.relations.map(({ field }) => field.name);
      const hint =
        didYouMean(name, relations) || (relations.length > 0 ? `: use ${relations.join(', ')}` : '');
      query.fault('include', `'${name}' is not a relation of ${current.definition.id}${hint}`);
      return [];
    }
    steps.push({ field: name, scope: findViewScope(caller, relation.to.definition) });
    current = relation.to;
  }
  return steps;
}

export function unknownField(query: Query, at: string, name: string, collection: Collection): void {
  query.fault(
    at,
    `'${name}' is not a field of ${collection.id}${query.hint(name, [...collection.fields.keys(), ...serviceFields])}`,
  );
}
