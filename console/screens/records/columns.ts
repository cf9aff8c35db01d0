import type { Definition } from '../../../client/admin.ts';
import { bindingFields, fieldsOf, type NamedField, serviceFields } from '../../model/fields.ts';
import { rememberItem } from '../../model/page-storage.ts';

export interface Column {
  readonly field: NamedField;
  readonly width: number;
  readonly pinned: boolean;
}

/** The columns of a collection as this browser remembers them. */
export interface ColumnChoice {
  readonly names: readonly string[];
  readonly widths: Readonly<Record<string, number>>;
  readonly pinned: readonly string[];
}

const narrowest = 64;
const widest = 800;
const mostByDefault = 8;

const keyOf = (project: string, collection: string) => `vitrine columns ${project}/${collection}`;

export const allFields = (definition: Definition): NamedField[] => [
  ...fieldsOf(definition),
  ...serviceFields,
  ...bindingFields,
];

/** The first few fields, without long texts: those are for the record's own view. */
function defaultNames(definition: Definition): string[] {
  const short = fieldsOf(definition).filter(({ type }) => type !== 'content');
  return [...short.slice(0, mostByDefault).map(({ name }) => name), '_updatedAt'];
}

export function readColumns(project: string, collection: string): Partial<ColumnChoice> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(project, collection)) ?? '{}');
    return typeof kept === 'object' && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

export function keepColumns(project: string, collection: string, choice: ColumnChoice | undefined): void {
  if (choice) rememberItem(keyOf(project, collection), JSON.stringify(choice));
  else localStorage.removeItem(keyOf(project, collection));
}

/** The columns named in the URL, else those chosen last, else the default; fields that no longer exist are left out. */
export function chooseColumns(
  definition: Definition,
  kept: Partial<ColumnChoice>,
  named: readonly string[] | undefined,
): Column[] {
  const fields = new Map(allFields(definition).map((field) => [field.name, field]));
  const names = [...new Set(named ?? kept.names ?? defaultNames(definition))].filter((name) =>
    fields.has(name),
  );
  const columns = (names.length > 0 ? names : defaultNames(definition)).flatMap((name) => {
    const field = fields.get(name);
    if (!field) return [];
    return [
      {
        field,
        width: kept.widths?.[name] ?? usualWidth(field),
        pinned: kept.pinned?.includes(name) ?? false,
      },
    ];
  });
  // Pinned columns come first.
  return [...columns.filter(({ pinned }) => pinned), ...columns.filter(({ pinned }) => !pinned)];
}

const widths: Readonly<Record<string, number>> = {
  boolean: 96,
  number: 112,
  datetime: 192,
  id: 300,
  content: 280,
  list: 200,
  relation: 160,
};

const usualWidth = ({ type, options }: NamedField) => (options ? 120 : (widths[type] ?? 200));

export const limitWidth = (width: number) => Math.round(Math.min(widest, Math.max(narrowest, width)));
