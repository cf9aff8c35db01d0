import type { Field } from './field.ts';

export const levels = ['public', 'user', 'workspace'] as const;
export type Level = (typeof levels)[number];

export const methods = [
  'viewAll',
  'view',
  'create',
  'update',
  'delete',
  'distinct',
  'export',
  'batch',
  'changes',
] as const;
export type Method = (typeof methods)[number];

export interface MethodSettings {
  readonly enabled?: boolean;
  readonly access?: Level | 'inherit';
  /** Only for `distinct`: the fields that may be requested; all if missing. */
  readonly fields?: readonly string[];
}

export interface ApiSettings {
  readonly access: Level;
  readonly methods: Readonly<Partial<Record<Method, MethodSettings>>>;
}

export interface IndexDefinition {
  readonly fields: readonly string[];
  readonly unique?: boolean;
}

/** A validated definition. */
export interface Collection {
  readonly id: string;
  readonly name: string;
  readonly fields: ReadonlyMap<string, Field>;
  readonly indexes: readonly IndexDefinition[];
  readonly api: ApiSettings;
}

/** Methods that return the records of `viewAll` in another form: they share its level, and are off if it is off. */
const viewAllToo: ReadonlySet<Method> = new Set(['export', 'changes']);

export function methodEnabled(collection: Collection, method: Method): boolean {
  const own = collection.api.methods[method]?.enabled ?? true;
  return own && (!viewAllToo.has(method) || methodEnabled(collection, 'viewAll'));
}

export function methodLevel(collection: Collection, method: Method): Level {
  const own = collection.api.methods[viewAllToo.has(method) ? 'viewAll' : method]?.access ?? 'inherit';
  return own === 'inherit' ? collection.api.access : own;
}
