import type { Definition } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import { listOptions, literal } from '../../model/client-code.ts';
import { encodeQuery, readListQuery } from '../../model/list-query.ts';

export const requestNames = ['viewAll', 'view', 'create', 'update', 'delete', 'distinct'] as const;
export type RequestName = (typeof requestNames)[number];

export const languages = ['curl', 'fetch', 'client'] as const;
export type Language = (typeof languages)[number];

export interface What {
  readonly base: string;
  readonly project: string;
  readonly definition: Definition;
  readonly request: RequestName;
  /** Without the question mark; only `viewAll` uses it. */
  readonly query: string;
}

export const isRead = (request: RequestName) => ['viewAll', 'view', 'distinct'].includes(request);

const verbs: Readonly<Record<RequestName, string>> = {
  viewAll: 'GET',
  view: 'GET',
  create: 'POST',
  update: 'PATCH',
  delete: 'DELETE',
  distinct: 'GET',
};

export function pathOf({ project, definition, request, query }: What): string {
  const root = `/v1/${project}/${definition.id}`;
  switch (request) {
    case 'viewAll':
      return `${root}${query === '' ? '' : `?${encodeQuery(query)}`}`;
    case 'distinct':
      return `${root}/distinct?fields=${Object.keys(definition.fields ?? {})[0] ?? ''}`;
    case 'create':
      return root;
    case 'view':
    case 'update':
    case 'delete':
      return `${root}/ID`;
  }
}

/** An example payload: the required fields for a create, else the first field. */
function payloadOf({ definition, request }: What): Record<string, Json> | undefined {
  if (request !== 'create' && request !== 'update') return undefined;
  const fields = Object.entries(definition.fields ?? {});
  const required = fields.filter(([, { required: needed }]) => needed);
  const shown = request === 'create' && required.length > 0 ? required : fields.slice(0, 1);
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field)]));
}

function exampleOf({
  type,
  options,
  default: fallback,
  kind,
}: NonNullable<Definition['fields']>[string]): Json {
  if (fallback !== undefined) return fallback;
  if (Array.isArray(options)) return options[0] as Json;
  switch (type) {
    case 'number':
      return 5;
    case 'boolean':
      return true;
    case 'datetime':
      return '2026-01-02T03:04:05Z';
    case 'email':
      return 'ann@example.com';
    case 'url':
      return 'https://example.com';
    case 'list':
      return [];
    case 'relation':
      return kind === 'multiple' ? ['ID'] : 'ID';
    default:
      return 'Text';
  }
}

export function codeOf(what: What, language: Language): string {
  switch (language) {
    case 'curl':
      return curlOf(what);
    case 'fetch':
      return fetchOf(what);
    case 'client':
      return clientOf(what);
  }
}

/** Quotes a text as one word for the shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function curlOf(what: What): string {
  const payload = payloadOf(what);
  const verb = verbs[what.request];
  return [
    `curl ${verb === 'GET' || (payload && verb === 'POST') ? '' : `-X ${verb} `}${quoted(what.base + pathOf(what))}`,
    `  -H "Authorization: Bearer $TOKEN"`,
    ...(payload ? [`  --json ${quoted(JSON.stringify(payload))}`] : []),
  ].join(' \\\n');
}

function fetchOf(what: What): string {
  const payload = payloadOf(what);
  const headers = [
    "    authorization: 'Bearer ' + token,",
    ...(payload ? ["    'content-type': 'application/json',"] : []),
  ];
  return [
    `const response = await fetch(${literal(what.base + pathOf(what))}, {`,
    ...(verbs[what.request] === 'GET' ? [] : [`  method: '${verbs[what.request]}',`]),
    '  headers: {',
    ...headers,
    '  },',
    ...(payload ? [`  body: JSON.stringify(${literal(payload)}),`] : []),
    '});',
    'const { ok, result, error } = await response.json();',
  ].join('\n');
}

function clientOf(what: What): string {
  const { base, project, definition } = what;
  return [
    "import { createClient } from 'vitrine/client';",
    '',
    `const ${clientName(project)} = createClient(${literal(base)}, { project: ${literal(project)} });`,
    `${lineOf(what, `${clientName(project)}.collection(${literal(definition.id)})`)}`,
  ].join('\n');
}

const clientName = (project: string) => (/^[a-z][a-z0-9]*$/.test(project) ? project : 'vitrine');

function lineOf(what: What, records: string): string {
  const payload = literal(payloadOf(what) ?? null);
  switch (what.request) {
    case 'viewAll':
      return `const { found } = await ${records}.list(${optionsOf(what)});`;
    case 'view':
      return `const record = await ${records}.view(id);`;
    case 'create':
      return `const record = await ${records}.create(${payload});`;
    case 'update':
      return `const record = await ${records}.update(id, ${payload});`;
    case 'delete':
      return `await ${records}.delete(id);`;
    case 'distinct':
      return `const values = await ${records}.distinct([${literal(Object.keys(what.definition.fields ?? {})[0] ?? '')}]);`;
  }
}

/** The query as options of the client. */
function optionsOf({ definition, query }: What): string {
  const { conditions, columns, ...rest } = readListQuery(query);
  const own = new Set(['page', 'perPage', 'include', 'after']);
  const settings = conditions
    .filter(({ field }) => own.has(field))
    .map(({ field, values }): [string, Json] => {
      if (field === 'include') return [field, values];
      return [field, field === 'after' ? (values[0] ?? '') : Number(values[0])];
    });
  const filters = conditions.filter(({ field }) => !own.has(field));
  const more = { ...(columns && { fields: columns }), ...Object.fromEntries(settings) };
  return listOptions(definition, { ...rest, conditions: filters }, more);
}
