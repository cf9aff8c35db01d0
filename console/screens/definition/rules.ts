/** A rule that a field type has, and the kind of control it is edited with. */
export type Rule =
  | { readonly kind: 'number' | 'text' | 'switch' | 'datetime'; readonly name: RuleName }
  | { readonly kind: 'options'; readonly name: 'options' };

export type RuleName =
  | 'minLength'
  | 'maxLength'
  | 'pattern'
  | 'min'
  | 'max'
  | 'integer'
  | 'minItems'
  | 'maxItems'
  | 'uniqueItems';

export const fieldTypes = [
  'text',
  'content',
  'number',
  'boolean',
  'datetime',
  'email',
  'url',
  'list',
  'relation',
] as const;
export const itemTypes = fieldTypes.filter((type) => type !== 'list' && type !== 'relation');

const lengths: readonly Rule[] = [
  { kind: 'number', name: 'minLength' },
  { kind: 'number', name: 'maxLength' },
];
const items: readonly Rule[] = [
  { kind: 'number', name: 'minItems' },
  { kind: 'number', name: 'maxItems' },
];

const rules: Readonly<Record<string, readonly Rule[]>> = {
  text: [...lengths, { kind: 'text', name: 'pattern' }, { kind: 'options', name: 'options' }],
  email: lengths,
  url: lengths,
  content: lengths,
  number: [
    { kind: 'number', name: 'min' },
    { kind: 'number', name: 'max' },
    { kind: 'switch', name: 'integer' },
  ],
  datetime: [
    { kind: 'datetime', name: 'min' },
    { kind: 'datetime', name: 'max' },
  ],
  list: [...items, { kind: 'switch', name: 'uniqueItems' }],
};

export function rulesOf(type: string, kind?: unknown): readonly Rule[] {
  if (type === 'relation') return kind === 'multiple' ? items : [];
  return rules[type] ?? [];
}

export function mayBeUnique(type: string, kind?: unknown): boolean {
  return type !== 'content' && type !== 'list' && !(type === 'relation' && kind === 'multiple');
}
