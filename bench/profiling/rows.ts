import type { Frame } from './profile.ts';

/** A row of the README's tables: what belongs there, by `name file` of a function. */
export interface Row {
  readonly title: string;
  readonly functions: RegExp;
}

/** The innermost function that belongs to a row decides; of two rows, the first. */
export function rowOf(rows: readonly Row[], stack: readonly Frame[]): string {
  for (const { name, file } of stack) {
    const found = rows.find(({ functions }) => functions.test(`${name} ${file}`));
    if (found) return found.title;
  }
  return rest;
}

export const rest = 'the rest';
export const outside = 'the floor: `Bun.serve` that answers these bytes';

const row = (title: string, functions: RegExp): Row => ({ title, functions });

const response = row('`new Response`, with its head', /^Response |src\/http\/(respond|cors)/);
const routing = row(
  'finding the handler: path and router',
  /src\/http\/(record-path|app)|node_modules\/hono/,
);
const access = row(
  'token, access, scope',
  /src\/access|src\/http\/authenticate|findOpenCaller|scopeConditions/,
);
const project = row('finding the project and its schema', /src\/catalog/);

const reading: readonly Row[] = [
  row(
    'SQLite: running the statement, carrying the text over',
    / bun:sqlite|src\/runtime\/bun|connection\/database/,
  ),
  response,
  access,
  row('query string and plan', /src\/(query|records\/(plan-cache|list|cursor)|store\/plans)/),
  row('choosing what to ask SQLite: texts, versions, remembered pages', /src\/store/),
  row('ETag', /src\/records\/conditional|record-tag/),
  project,
  routing,
];

const creating: readonly Row[] = [
  row('JSON: guarding and parsing the body', /src\/http\/json-text/),
  row('body: reading it in time', /src\/http\/(body|deadlines)/),
  row(
    'to the writer thread and back: JSON, messages',
    /sqlite\/writing|src\/runtime\/writers|node:worker_threads|internal:worker|postMessage/,
  ),
  row(
    'validation, id and plan',
    /src\/model|node_modules\/uuid|src\/records\/(create|binding|payload)|re2js/,
  ),
  response,
  access,
  project,
  routing,
];

const writing: readonly Row[] = [
  row(
    'indexing for search, put off',
    /indexPending|tokensOf|search-indexer|encode src\/store\/engines\/sqlite\/search/,
  ),
  row('BEGIN and COMMIT, with the fsync', /#runNoArgs bun:sqlite/),
  row('SQLite: the statements of an insert', / bun:sqlite|src\/runtime\/bun|connection\/database/),
  row('JSON of the record, text for search', /record-json|src\/model\/search|addSearchText|placeRecord/),
  row(
    'messages: JSON from and to the serving thread',
    /serve-writers|writing\/(channel|messages)|postMessage/,
  ),
  row('putting the plan together again', /writing\/revive/),
  row('checks, places, SQL texts', /src\/store\/sql/),
  row('gathering a group', /sqlite\/writer|writing\/(project-writer|local-writers)/),
];

export const rowsOf = { reading, creating, writing } as const;
