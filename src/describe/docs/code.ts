import type { Method } from '../../model/collection.ts';
import { someId } from '../../model/fields/relation.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Usable } from '../audience.ts';
import { stringLiteral } from '../string-literal.ts';
import { typeName } from '../types.ts';
import { exampleChange, exampleDistinct, exampleQuery, exampleRecord } from './examples.ts';

/** Placeholders for the URLs of the project and of the server. Nothing else in an example contains these raw characters. */
export const [base, root] = ['\u0001', '\u0002'] as const;

/** An example of a call, shown with curl, with fetch and with the client. */
export interface Example {
  readonly verb: string;
  /** The path below the project, with its query. */
  readonly path: string;
  readonly body?: JsonObject;
  /** Whether a token is needed. */
  readonly token: boolean;
  /** Whether the response is a file, with a JSON envelope only for errors. */
  readonly file?: boolean;
  /** The call of the client, if it has one. */
  readonly client: string | undefined;
}

export function exampleOf(usable: Usable, method: Method, token: boolean): Example | undefined {
  const { id } = usable.definition;
  const on = `client${property(id)}`;
  const query = exampleQuery(usable);
  const record = exampleRecord(usable);
  const change = exampleChange(usable);
  const filtered = Object.keys(query.where).length > 0 ? `where: ${literal(query.where)}, ` : '';
  switch (method) {
    case 'viewAll':
      return {
        verb: 'GET',
        path: `/${id}?${query.text}`,
        token,
        client: `const { found } = await ${on}.list({ ${filtered}sort: '${query.sort}' });`,
      };
    case 'view':
      return {
        verb: 'GET',
        path: `/${id}/${someId}`,
        token,
        client: `const record = await ${on}.view('${someId}');`,
      };
    case 'create':
      return {
        verb: 'POST',
        path: `/${id}`,
        body: record,
        token,
        client: `const record = await ${on}.create(${literal(record)});`,
      };
    case 'update':
      return {
        verb: 'PATCH',
        path: `/${id}/${someId}`,
        body: change,
        token,
        client: `const record = await ${on}.update('${someId}', ${literal(change)});`,
      };
    case 'delete':
      return { verb: 'DELETE', path: `/${id}/${someId}`, token, client: `await ${on}.delete('${someId}');` };
    case 'distinct': {
      const field = exampleDistinct(usable);
      return {
        verb: 'GET',
        path: `/${id}/distinct?fields=${field}`,
        token,
        client: `const { ${field} } = await ${on}.distinct(['${field}']);`,
      };
    }
    case 'export':
      return {
        verb: 'GET',
        path: `/${id}/export?format=csv&${query.text}`,
        token,
        file: true,
        client: `const file = await ${on}.export('csv', { ${filtered}sort: '${query.sort}' });`,
      };
    case 'batch': {
      const [body, fill] = exampleBatch(usable);
      return {
        verb: 'POST',
        path: `/${id}/batch`,
        body,
        token,
        client: `await ${on}.batch((batch) => {\n  ${fill};\n});`,
      };
    }
    case 'changes':
      return { verb: 'GET', path: `/${id}/_changes?after=now`, token, client: followCode(on) };
  }
}

/** `on`: an expression for the client or one of its collections. */
export const followCode = (on: string) =>
  `for await (const change of ${on}.changes()) console.log(change.kind, change._id);`;

/** A batch of one operation that the caller may use, as a body and as code for the client. */
function exampleBatch(usable: Usable): [JsonObject, string] {
  const { methods } = usable;
  if (methods.has('create')) {
    const record = exampleRecord(usable);
    return [{ create: [record] }, `batch.create(${literal(record)})`];
  }
  if (!methods.has('update')) return [{ delete: [someId] }, `batch.delete('${someId}')`];
  const change = exampleChange(usable);
  return [{ update: [{ _id: someId, ...change }] }, `batch.update('${someId}', ${literal(change)})`];
}

export function curl({ verb, path, body, token }: Example): string {
  const lines = [
    `curl ${verb === 'GET' || (verb === 'POST' && body) ? '' : `-X ${verb} `}${quoted(`${base}${path}`)}`,
    ...(token ? [`-H "Authorization: Bearer $TOKEN"`] : []),
    ...(body ? [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`] : []),
  ];
  return lines.join(' \\\n  ');
}

const takeEnvelope = 'const { ok, result, error } = await answer.json();';
const takeFile =
  'if (!answer.ok) throw new Error((await answer.json()).error);\nconst file = await answer.blob();';

export function fetchCode({ verb, path, body, token, file }: Example): string {
  const headers = {
    ...(token && { authorization: '`Bearer $' + '{token}`' }),
    ...(body && { "'content-type'": "'application/json'" }),
  };
  const parts = [
    ...(verb === 'GET' ? [] : [`method: '${verb}'`]),
    ...(Object.keys(headers).length > 0
      ? [
          `headers: { ${Object.entries(headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join(', ')} }`,
        ]
      : []),
    ...(body ? [`body: JSON.stringify(${literal(body)})`] : []),
  ];
  const options = parts.length === 0 ? '' : `, {\n${parts.map((part) => `  ${part},\n`).join('')}}`;
  return `const answer = await fetch('${base}${path}'${options});\n${file ? takeFile : takeEnvelope}`;
}

export function clientCode(project: string, client: string): string {
  return `import { createClient } from 'vitrine/client';
import type { ${typeName(project)} } from './types.ts'; // vitrine types --project ${project} --out types.ts

const client = createClient<${typeName(project)}>('${root}', { project: '${project}' });
${client}`;
}

/** Names of the client's own properties. */
const taken = new Set(['auth', 'collection', 'batch', 'changes', 'position', 'as']);

function property(id: string): string {
  if (taken.has(id)) return `.collection('${id}')`;
  return /^[a-z_$][\w$]*$/i.test(id) ? `.${id}` : `['${id}']`;
}

/** JSON as a JavaScript literal in the usual style. */
export function literal(value: Json): string {
  if (typeof value === 'string') return stringLiteral(value);
  if (Array.isArray(value)) return `[${value.map((one: Json) => literal(one)).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(([name, one]) => {
    return `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)}: ${literal(one)}`;
  });
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
