import type { Definition, Field } from '../../../client/admin.ts';

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

/** `saved`: the definition on the server, whose names the fields of `definition` may have or come from. */
export function draftOf(definition: Definition, saved?: Definition): Draft {
  const known = saved?.fields ?? {};
  const fields = Object.entries(definition.fields ?? {}).map(
    ([name, { renamedFrom, ...field }]): DraftField => {
      const original = Object.hasOwn(known, name)
        ? name
        : renamedFrom !== undefined && Object.hasOwn(known, renamedFrom)
          ? renamedFrom
          : undefined;
      return { key: newKey(), ...(original !== undefined && { original }), name, field: field as Field };
    },
  );
  return {
    id: definition.id,
    name: definition.name ?? definition.id,
    fields,
    indexes: definition.indexes ?? [],
    api: definition.api ?? { access: 'user' },
  };
}

/** As the server takes it: a field that has another name than it had says which. */
export function definitionOf({ id, name, fields, indexes, api }: Draft): Definition {
  const entries = fields.map(({ original, name: now, field }) => {
    const renamed = original !== undefined && original !== now;
    return [now, { ...field, ...(renamed && { renamedFrom: original }) }] as const;
  });
  return {
    id,
    ...(name !== '' && name !== id && { name }),
    fields: Object.fromEntries(entries),
    ...(indexes.length > 0 && { indexes }),
    api,
  };
}

export function jsonOf(draft: Draft): string {
  return JSON.stringify(definitionOf(draft), null, 2);
}

/** undefined: the text is no definition, or not yet. */
export function readJson(text: string, saved?: Definition): Draft | undefined {
  try {
    const value = JSON.parse(text) as Definition;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    const { fields = {} } = value;
    const isFields = typeof fields === 'object' && fields !== null && !Array.isArray(fields);
    const allObjects =
      isFields && Object.values(fields).every((field) => typeof field === 'object' && field !== null);
    if (!allObjects) return undefined;
    return draftOf({ ...value, id: typeof value.id === 'string' ? value.id : (saved?.id ?? '') }, saved);
  } catch {
    return undefined;
  }
}

const storageKey = (project: string, collection: string) => `vitrine-definition:${project}/${collection}`;

/** What was typed and not saved survives the tab. */
export function keepDraft(project: string, collection: string, text: string | undefined): void {
  const key = storageKey(project, collection);
  if (text === undefined) localStorage.removeItem(key);
  else localStorage.setItem(key, text);
}

export function findDraft(project: string, collection: string): string | undefined {
  return localStorage.getItem(storageKey(project, collection)) ?? undefined;
}
