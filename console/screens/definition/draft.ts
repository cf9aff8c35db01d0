import type { Definition, Field } from '../../../client/admin.ts';
import { readItem, writeItem } from '../../model/page-storage.ts';
import { parseJson } from '../../model/parse-json.ts';

/** A field that is being edited. `original`: its name on the server; a new field has none. */
export interface DraftField {
  readonly key: string;
  readonly original?: string;
  readonly name: string;
  readonly field: Field;
}

/** A definition that is being edited: its fields in order, each with the name it had. */
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

/** `known`: the fields on the server, which these may be or may have been renamed from. */
export function draftFields(fields: Fields, known: Fields): DraftField[] {
  return Object.entries(fields).map(([name, { renamedFrom, ...field }]): DraftField => {
    const original = [renamedFrom, name].find((one) => one !== undefined && Object.hasOwn(known, one));
    return { key: newKey(), ...(original !== undefined && { original }), name, field: field as Field };
  });
}

/** As the server takes them: a renamed field says what it was called before. */
export function writtenFields(fields: readonly DraftField[]): Fields {
  const entries = fields.map(({ original, name, field }) => {
    const renamed = original !== undefined && original !== name;
    return [name, { ...field, ...(renamed && { renamedFrom: original }) }] as const;
  });
  return Object.fromEntries(entries);
}

/** The keys of fields that repeat the name of an earlier one: JSON has room for only one of them. */
export function twins(fields: readonly DraftField[]): ReadonlySet<string> {
  const first = new Map<string, string>();
  for (const { key, name } of fields) if (!first.has(name)) first.set(name, key);
  return new Set(fields.filter(({ key, name }) => first.get(name) !== key).map(({ key }) => key));
}

/** The current draft after `sent` was saved: the server knows its fields by the names in `sent`. */
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

/** With the keys of another draft, by name: so fields stay open, and the focus stays where it is. */
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

/** Whether it has the shape of fields; the server checks the rest. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((field) => typeof field === 'object' && field !== null);

/** undefined: the text is not a definition, or not yet. */
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

/** What was typed but not saved, and the access settings at that time. */
interface KeptDraft {
  readonly text: string;
  readonly api?: Draft['api'] | undefined;
}

/** Survives the tab. Without a text the draft is removed. */
export const keepDraft = (project: string, collection: string, kept: Partial<KeptDraft>) =>
  writeItem(storageKey(project, collection), kept.text === undefined ? undefined : JSON.stringify(kept));

export function findDraft(project: string, collection: string): KeptDraft | undefined {
  const item = readItem(storageKey(project, collection));
  if (item === null) return undefined;
  try {
    const kept = JSON.parse(item) as KeptDraft;
    if (typeof kept.text === 'string') return kept;
  } catch {}
  return { text: item }; // the format of an earlier console
}

/**
 * Access settings are changed on another screen, and a draft may be old: if the draft did not change them, it takes the saved
 * ones. Otherwise renaming a field could reopen to everybody what was closed since. A draft of an earlier console does not say
 * what they were, so it takes the saved ones too.
 */
export function followAccess(draft: Draft, before: Draft['api'] | undefined, now: Draft['api']): Draft {
  const isUntouched = before === undefined || JSON.stringify(draft.api) === JSON.stringify(before);
  return isUntouched && JSON.stringify(now) !== JSON.stringify(before) ? { ...draft, api: now } : draft;
}
