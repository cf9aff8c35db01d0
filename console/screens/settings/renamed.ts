import type { Field } from '../../../client/admin.ts';
import { type DraftField, writtenFields } from '../definition/draft.ts';

export type Fields = Readonly<Record<string, Field>>;

/** The name that a field has on the server after `sent` was saved, given its name before. */
function nameAfter(sent: Fields, before: string): string | undefined {
  const found = Object.entries(sent).find(([name, { renamedFrom = name }]) => renamedFrom === before);
  return found?.[0] ?? (Object.hasOwn(sent, before) ? before : undefined);
}

/** Updates the original names of edited fields after `sent` was saved. */
export function afterSending(fields: readonly DraftField[], sent: Fields): DraftField[] {
  return fields.map(({ original: before, ...field }): DraftField => {
    const same = Object.hasOwn(sent, field.name) ? field.name : undefined;
    const original = before === undefined ? same : nameAfter(sent, before);
    return original === undefined ? field : { ...field, original };
  });
}

/** The same for fields in the format that is sent. */
export function writtenAfter(fields: Fields, sent: Fields): Fields {
  const left = new Set(Object.values(fields).map(({ renamedFrom }) => renamedFrom));
  const edited = Object.entries(fields).map(([name, { renamedFrom, ...field }]): DraftField => {
    const original = renamedFrom ?? (left.has(name) ? undefined : name); // undefined: new, with the old name of a renamed one
    return { key: name, ...(original !== undefined && { original }), name, field: field as Field };
  });
  return writtenFields(afterSending(edited, sent));
}

/** Whether these fields are the ones that were sent. */
export function areSent(fields: Fields, sent: Fields): boolean {
  const plain = Object.entries(sent).map(([name, { renamedFrom: _, ...field }]) => [name, field]);
  return JSON.stringify(fields) === JSON.stringify(Object.fromEntries(plain));
}
