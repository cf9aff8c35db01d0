import type { Collection } from '../model/collection.ts';
import type { Field, ScalarField } from '../model/field.ts';
import { fieldType } from '../model/field-types.ts';
import { answeredProfile } from './answered-profile.ts';
import { ruleTexts } from './field-texts.ts';
import { stringLiteral } from './string-literal.ts';

/** The TypeScript types of a project for `vitrine/client`. The output is deterministic. */
export function projectTypes(
  project: string,
  collections: readonly Collection[],
  profile?: Collection,
): string {
  const sorted = collections.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const names = new Names();
  const own = names.take(project);
  const parts = sorted.map((collection) => ({ collection, name: names.take(collection.id) }));
  const entries = parts.map(({ collection, name }) => entryOf(collection, name));
  return `// Written by 'vitrine types' from the project '${project}': changes by hand are lost.

${comment('', `The collections of ${project}, for createClient<${own}>(…).`)}export interface ${own} {
${entries.join('')}}
${profile && profile.fields.size > 0 ? profileOf(profile, own) : ''}${parts.map(({ collection, name }) => interfacesOf(collection, name)).join('')}`;
}

/** `shop` becomes Shop, `my-shop` becomes MyShop. */
export function typeName(id: string): string {
  return id.replace(/(?:^|[-_]+)([a-z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
}

/** Makes type names unique by a number, also together with their suffixes. */
class Names {
  readonly #taken = new Set<string>();

  take(id: string): string {
    const plain = typeName(id);
    for (let count = 1; ; count++) {
      const name = count === 1 ? plain : `${plain}${count}`;
      const all = ['', 'Record', 'Create', 'Update', 'Profile'].map((suffix) => name + suffix);
      if (all.some((one) => this.#taken.has(one))) continue;
      for (const one of all) this.#taken.add(one);
      return name;
    }
  }
}

function fieldsOf({ fields }: Collection): Field[] {
  return [...fields.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function entryOf(collection: Collection, name: string): string {
  const kinds = fieldsOf(collection).map((field) => `      readonly ${field.name}: ${kindOf(field)};\n`);
  return `  readonly ${propertyName(collection.id)}: {
    readonly record: ${name}Record;
    readonly create: ${name}Create;
    readonly update: ${name}Update;
    readonly fields: {${kinds.length === 0 ? '' : `\n${kinds.join('')}    `}};
  };
`;
}

function profileOf(profile: Collection, name: string): string {
  const fields = fieldsOf(answeredProfile(profile)).map(
    (field) => `${about(field)}  ${field.name}: ${stored(field)};\n`,
  );
  // Not an interface: it could be extended, so it is not assignable to a record of values, which the client expects.
  return `
${comment('', 'The profile of a user: user.profile as …Profile.')}export type ${name}Profile = {
${fields.join('')}};
`;
}

function kindOf(field: Field): string {
  return field.type === 'relation' ? `{ readonly to: ${stringLiteral(field.to)} }` : `'${field.type}'`;
}

function interfacesOf(collection: Collection, name: string): string {
  const fields = fieldsOf(collection);
  const title = collection.name === collection.id ? collection.id : `${collection.name} (${collection.id})`;
  const record = fields.map((field) => `${about(field)}  ${field.name}: ${stored(field)};\n`);
  const create = fields.map((field) => {
    const optional = !field.required || field.default !== undefined ? '?' : '';
    return `${about(field)}  readonly ${field.name}${optional}: ${written(field)};\n`;
  });
  const update = fields.map((field) => `  readonly ${field.name}?: ${written(field)};\n`);
  return `
${comment('', `A record of ${title}.`)}export interface ${name}Record {
  readonly _id: string;
  readonly _createdAt: string;
  readonly _updatedAt: string;
${record.join('')}}

${comment('', `What Create of ${title} takes.`)}export interface ${name}Create {
${create.join('')}}

${comment('', `What Update of ${title} takes: only what is to change.`)}export interface ${name}Update {
${update.join('')}}
`;
}

function scalar(field: Field | ScalarField): string {
  if (field.type === 'text' && field.options?.length) return field.options.map(stringLiteral).join(' | ');
  if (field.type === 'number' || field.type === 'boolean') return field.type;
  return 'string';
}

function element(field: Field): string {
  const one = scalar(field.type === 'list' ? field.of : field);
  return one.includes('|') ? `(${one})` : one;
}

function stored(field: Field): string {
  if (fieldType(field).plural(field)) return `${element(field)}[]`;
  return field.required ? scalar(field) : `${scalar(field)} | null`;
}

function written(field: Field): string {
  const value = fieldType(field).plural(field) ? `readonly ${element(field)}[]` : scalar(field);
  return field.required ? value : `${value} | null`;
}

function about(field: Field): string {
  const rules = ruleTexts(field).join(', ');
  const lines = [field.label, field.description, rules && `${field.type}: ${rules}`].filter((part) => part);
  return lines.length === 0 ? '' : comment('  ', lines.join('\n'));
}

function comment(indent: string, text: string): string {
  const lines = text.replaceAll('*/', '*\\/').split(/\r?\n|[\r\u2028\u2029]/);
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

function propertyName(id: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(id) ? id : stringLiteral(id);
}
