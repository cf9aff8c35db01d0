import type { Definition, Field } from '../../../client/admin.ts';
import { readItem, writeItem } from '../../model/page-storage.ts';
import { parseJson } from '../../model/parse-json.ts';

/** A field as it is edited. `original`: what it is called on the server; a new one has none. */
export interface DraftField {
  readonly key: string;
  readonly original?: string;
  readonly name: string;
  readonly field: Field;
}

/** A definition as it is edited: fields in an order, each knowing what it was. */
export interface Draft {
  readonly id: string;
  readonly name: string;
  readonly fields: readonly DraftField[];
  readonly indexes: NonNullable<Definition['indexes']>;
  readonly api: NonNullable<Definition['api']>;
}

export const emptyDraft: Draft = { id: '', name: '', fields: [], indexes: [], api: { access: 'user' } };

let lastKey = 0;
export function newKey(): string {
  lastKey += 1;
  return `field-${lastKey}`;
}

type Fields = Readonly<Record<string, Field>>;

/** `known`: the fields on the server, whose names these may have or come from. */
export function draftFields(fields: Fields, known: Fields): DraftField[] {
  return Object.entries(fields).map(([name, { renamedFrom, ...field }]): DraftField => {
    const original = [renamedFrom, name].find((one) => one !== undefined && Object.hasOwn(known, one));
    return { key: newKey(), ...(original !== undefined && { original }), name, field: field as Field };
  });
}

/** As the server takes them: one that has another name than it had says which. */
export function writtenFields(fields: readonly DraftField[]): Fields {
  const entries = fields.map(({ original, name, field }) => {
    const renamed = original !== undefined && original !== name;
    return [name, { ...field, ...(renamed && { renamedFrom: original }) }] as const;
  });
  return Object.fromEntries(entries);
}

/** The keys of those that have the name of one before them: as JSON there is room for one of them alone. */
export function twins(fields: readonly DraftField[]): ReadonlySet<string> {
  const first = new Map<string, string>();
  for (const { key, name } of fields) if (!first.has(name)) first.set(name, key);
  return new Set(fields.filter(({ key, name }) => first.get(name) !== key).map(({ key }) => key));
}

/** What was edited on, once the server has what was sent: its fields are then known there by the names that were sent. */
export function afterSaving(draft: Draft, sent: Draft): Draft {
  const isSame = (one: DraftField, other: DraftField) =>
    one.key === other.key || (one.original !== undefined && one.original === other.original);
  const fields = draft.fields.map((field): DraftField => {
    const { original: _, ...rest } = field;
    const origin =
      sent.fields.find((one) => isSame(one, field)) ?? sent.fields.find(({ name }) => name === field.name);
    return origin ? { ...rest, original: origin.name } : rest;
  });
  return { ...draft, fields };
}

/** With the keys of another one, by name: what is open of a field stays open, and the focus where it is. */
export function withKeys(draft: Draft, other: Draft): Draft {
  const keys = new Map(other.fields.map(({ name, key }) => [name, key]));
  return {
    ...draft,
    fields: draft.fields.map((field) => ({ ...field, key: keys.get(field.name) ?? field.key })),
  };
}

/** `saved`: the definition on the server. */
export function draftOf(definition: Definition, saved?: Definition): Draft {
  return {
    id: definition.id,
    name: definition.name ?? definition.id,
    fields: draftFields(definition.fields ?? {}, saved?.fields ?? {}),
    indexes: definition.indexes ?? [],
    api: definition.api ?? { access: 'user' },
  };
}

export function definitionOf({ id, name, fields, indexes, api }: Draft): Definition {
  return {
    id,
    ...(name !== '' && name !== id && { name }),
    fields: writtenFields(fields),
    ...(indexes.length > 0 && { indexes }),
    api,
  };
}

export function jsonOf(draft: Draft): string {
  return JSON.stringify(definitionOf(draft), null, 2);
}

/** What could be fields, of which the server then says more. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((field) => typeof field === 'object' && field !== null);

/** undefined: the text is no definition, or not yet. */
export function readJson(text: string, saved?: Definition): Draft | undefined {
  try {
    const value = parseJson(text) as Definition;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    if (!isFields(value.fields ?? {})) return undefined;
    return draftOf({ ...value, id: typeof value.id === 'string' ? value.id : (saved?.id ?? '') }, saved);
  } catch {
    return undefined;
  }
}

const storageKey = (project: string, collection: string) => `vitrine-definition:${project}/${collection}`;

/** What was typed and not saved, and who might do what by then. */
interface KeptDraft {
  readonly text: string;
  readonly api?: Draft['api'] | undefined;
}

/** It survives the tab. Without a text nothing is kept any more. */
export const keepDraft = (project: string, collection: string, kept: Partial<KeptDraft>) =>
  writeItem(storageKey(project, collection), kept.text === undefined ? undefined : JSON.stringify(kept));

export function findDraft(project: string, collection: string): KeptDraft | undefined {
  const item = readItem(storageKey(project, collection));
  if (item === null) return undefined;
  try {
    const kept = JSON.parse(item) as KeptDraft;
    if (typeof kept.text === 'string') return kept;
  } catch {}
  return { text: item }; // as an earlier console kept it
}

/**
 * Who may do what is chosen in a screen of its own, and a draft may be old: where it has that as it was, it goes by what is saved
 * now. Otherwise to rename a field could open to anybody what was closed since. Of a draft that an earlier console kept nobody
 * knows how it was: it goes by that too.
 */
export function followAccess(draft: Draft, before: Draft['api'] | undefined, now: Draft['api']): Draft {
  const isUntouched = before === undefined || JSON.stringify(draft.api) === JSON.stringify(before);
  return isUntouched && JSON.stringify(now) !== JSON.stringify(before) ? { ...draft, api: now } : draft;
}
