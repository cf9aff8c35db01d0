import type { Field } from '../../../client/admin.ts';
import { type DraftField, writtenFields } from '../definition/draft.ts';

export type Fields = Readonly<Record<string, Field>>;

/** What the server calls a field by now that was known by this name before these were sent. */
function nameAfter(sent: Fields, before: string): string | undefined {
  const found = Object.entries(sent).find(([name, { renamedFrom = name }]) => renamedFrom === before);
  return found?.[0] ?? (Object.hasOwn(sent, before) ? before : undefined);
}

/** Fields as they are edited, once the server has what was sent: there they have the names that were sent. */
export function afterSending(fields: readonly DraftField[], sent: Fields): DraftField[] {
  return fields.map(({ original: before, ...field }): DraftField => {
    const same = Object.hasOwn(sent, field.name) ? field.name : undefined;
    const original = before === undefined ? same : nameAfter(sent, before);
    return original === undefined ? field : { ...field, original };
  });
}

/** The same of fields as they are written. */
export function writtenAfter(fields: Fields, sent: Fields): Fields {
  const left = new Set(Object.values(fields).map(({ renamedFrom }) => renamedFrom));
  const edited = Object.entries(fields).map(([name, { renamedFrom, ...field }]): DraftField => {
    const original = renamedFrom ?? (left.has(name) ? undefined : name); // a new one with the name that another left
    return { key: name, ...(original !== undefined && { original }), name, field: field as Field };
  });
  return writtenFields(afterSending(edited, sent));
}

/** Whether these are what was sent. */
export function areSent(fields: Fields, sent: Fields): boolean {
  const plain = Object.entries(sent).map(([name, { renamedFrom: _, ...field }]) => [name, field]);
  return JSON.stringify(fields) === JSON.stringify(Object.fromEntries(plain));
}
