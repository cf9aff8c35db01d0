import { type Method, methodLevel } from '../../model/collection.ts';
import type { Field } from '../../model/field.ts';
import { fieldType } from '../../model/field-types.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Audience, type Usable, usableFields } from '../audience.ts';
import { filterOperators, ruleTexts, typeText } from '../field-texts.ts';
import { exampleOf } from './code.ts';
import { type Html, html } from './html.ts';
import { operationHtml } from './operation.ts';

export interface DocumentParts {
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;
  readonly parameters: Readonly<Record<string, JsonObject>>;
}

/** A collection: its fields, then its operations. */
export function collectionHtml(
  project: string,
  audience: Audience,
  usable: Usable,
  document: DocumentParts,
): Html {
  const { definition, methods } = usable;
  const { id, name } = definition;
  return html`<section class="collection" id="${id}">
<h2>${name} ${name !== id && html`<code>${id}</code>`}</h2>
${fieldTable(usable, audience)}
${[...methods].map((method) => methodHtml(project, audience, usable, method, document))}
</section>
`;
}

function fieldTable(usable: Usable, audience: Audience): Html {
  const service: [string, string, string][] = [
    ['_id', 'text', 'set by the service; a UUID'],
    ['_createdAt', 'datetime', 'set by the service'],
    ['_updatedAt', 'datetime', 'set by the service at every change'],
  ];
  return html`<table class="fields"><caption>Fields</caption><thead><tr><th>Name</th><th>Type</th><th>Rules</th></tr></thead><tbody>
${usableFields(usable).map(
  (
    field,
  ) => html`<tr><td><code>${field.name}</code></td><td>${typeText(field, audience)}</td><td>${rulesHtml(field)}</td></tr>
`,
)}${service.map(
  ([
    name,
    type,
    rule,
  ]) => html`<tr class="quiet"><td><code>${name}</code></td><td>${type}</td><td>${rule}</td></tr>
`,
)}</tbody></table>`;
}

function rulesHtml(field: Field): Html {
  const rules = ruleTexts(field).join(' · ');
  const about = [field.label, field.description].filter((text) => text).join(': ');
  return html`${rules}${rules !== '' && about !== '' && html`<br>`}${about !== '' && html`<span class="about">${about}</span>`}`;
}

const verbs: Readonly<Record<Method, readonly [string, string]>> = {
  viewAll: ['get', ''],
  view: ['get', '/{id}'],
  create: ['post', ''],
  update: ['patch', '/{id}'],
  delete: ['delete', '/{id}'],
  distinct: ['get', '/distinct'],
  export: ['get', '/export'],
  batch: ['post', '/batch'],
  changes: ['get', '/_changes'],
};

function methodHtml(
  project: string,
  audience: Audience,
  usable: Usable,
  method: Method,
  { paths, parameters }: DocumentParts,
): Html | false {
  const [verb, rest] = verbs[method];
  const path = `/${usable.definition.id}${rest}`;
  const operation = paths[path]?.[verb];
  if (!operation) return false;
  const named = resolvedParameters(operation, { parameters });
  const filters = named.filter(({ key }) => key.includes('.filter.'));
  const others = named.filter(({ key }) => !key.includes('.filter.')).map(({ parameter }) => parameter);
  const isPublic = JSON.stringify(operation.security).startsWith('[{}');
  return operationHtml({
    project,
    operation,
    verb,
    path,
    who: whoWords(usable, method),
    example: exampleOf(usable, method, !isPublic),
    body: bodyTexts[method],
    parameters: others,
    more:
      filters.length > 0
        ? filterTable(
            usable,
            audience,
            filters.map(({ parameter }) => String(parameter.name)),
          )
        : undefined,
  });
}

/** The parameters of an operation, with the names of their components. */
export function resolvedParameters(
  operation: JsonObject,
  { parameters }: Pick<DocumentParts, 'parameters'>,
): { readonly key: string; readonly parameter: JsonObject }[] {
  return ((operation.parameters ?? []) as readonly JsonObject[]).map(({ $ref, ...own }) => {
    const key = typeof $ref === 'string' ? $ref.slice('#/components/parameters/'.length) : '';
    return { key, parameter: parameters[key] ?? own };
  });
}

/** One row per field: `price` and the operators for it. */
function filterTable({ definition }: Usable, audience: Audience, names: readonly string[]): Html {
  const fields = [...new Set(names.map((name) => name.replace(/(?:!=|>=|<=)$/, '')))];
  const rows = fields.map((name) => {
    const field = definition.fields.get(name);
    const operators = field
      ? filterOperators(field)
      : name.endsWith('At')
        ? ['>', '>=', '<', '<=']
        : ['=', '!='];
    const type = field ? typeText(field, audience) : name.endsWith('At') ? 'datetime' : '_id';
    const onlyUnset = field !== undefined && !fieldType(field).filter(field).operators.includes('=');
    return { name, type, operators, onlyUnset };
  });
  return html`<table class="filters"><caption>Filters</caption><thead><tr><th>Field</th><th>Type</th><th>Operators</th></tr></thead><tbody>
${rows.map(
  ({
    name,
    type,
    operators,
    onlyUnset,
  }) => html`<tr><td><code>${name}</code></td><td>${type}</td><td>${operators.map((operator) => html`<code>${operator}</code> `)}${onlyUnset && html`<small>= and != with an empty value alone</small>`}</td></tr>
`,
)}</tbody></table>`;
}

const bodyTexts: Readonly<Partial<Record<Method, string>>> = {
  create: 'Body: the fields above. Those that are required must be there.',
  update: 'Body: only the fields to change; null unsets one.',
  batch:
    'Body: create, update (each with its _id) and delete, run in this order; any of them may be left out.',
};

function whoWords({ definition }: Usable, method: Method): string {
  if (method === 'batch') return 'Each operation of a batch needs the same rights as by itself.';
  switch (methodLevel(definition, method)) {
    case 'public':
      return 'For anybody, on every record.';
    case 'user':
      return "For signed-in users, on their own records; for server keys on everybody's.";
    case 'workspace':
      return "For members of a workspace, on its records; for server keys on everybody's.";
  }
}
