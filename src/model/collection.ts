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
  /** `distinct` only: the fields that may be asked for; without it, all. */
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

/** A definition that was read and found good. */
export interface Collection {
  readonly id: string;
  readonly name: string;
  readonly fields: ReadonlyMap<string, Field>;
  readonly indexes: readonly IndexDefinition[];
  readonly api: ApiSettings;
}

/** What gives the records of `viewAll` in another form: it shares its level, and is off where that is. */
const viewAllToo: ReadonlySet<Method> = new Set(['export', 'changes']);

export function methodEnabled(collection: Collection, method: Method): boolean {
  const own = collection.api.methods[method]?.enabled ?? true;
  return own && (!viewAllToo.has(method) || methodEnabled(collection, 'viewAll'));
}

export function methodLevel(collection: Collection, method: Method): Level {
  const own = collection.api.methods[viewAllToo.has(method) ? 'viewAll' : method]?.access ?? 'inherit';
  return own === 'inherit' ? collection.api.access : own;
}
