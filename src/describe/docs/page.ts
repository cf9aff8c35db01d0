import type { JsonObject } from '../../model/json.ts';
import type { Audience } from '../audience.ts';
import { openapiSteps, type Subject } from '../openapi.ts';
import type { Steps } from '../steps.ts';
import { collectionHtml, type DocumentParts } from './collection.ts';
import { guideHtml } from './guide.ts';
import { type Html, html } from './html.ts';
import { operationHtml } from './operation.ts';

/** GET /v1/:project/_docs: the description for people. It is read without a script; that only adds to it. */
export function* docsSteps(subject: Subject): Steps<string> {
  const { project, audience } = subject;
  const { paths, components } = (yield* openapiSteps(subject)) as unknown as Pick<DocumentParts, 'paths'> & {
    readonly components: Pick<DocumentParts, 'parameters'>;
  };
  const parts = { paths, parameters: components.parameters };
  const collections: Html[] = [];
  for (const usable of audience.collections.values()) {
    collections.push(collectionHtml(project.id, audience, usable, parts));
    yield;
  }
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${project.name} – API</title>
<link rel="stylesheet" href="../../_docs/style.css">
<script type="module" src="../../_docs/script.js"></script>
</head>
<body data-project="${project.id}">
<a class="skip" href="#content">To the content</a>
<header>
<h1><strong>${project.name}</strong> API</h1>
<form class="search" role="search" hidden><input type="search" name="words" placeholder="Search" aria-label="Search operations and fields" autocomplete="off"></form>
<form class="token" hidden>
<input type="password" name="token" placeholder="Token" aria-label="A user's access token or a server key" autocomplete="off">
<button>Use</button><button type="button" class="console">From the console</button><button type="button" class="drop" hidden>Forget</button>
<output role="status"></output>
</form>
</header>
<div class="columns">
<nav aria-label="Contents">${navigation(audience, parts)}</nav>
<main id="content">
${guideHtml(project)}
${collections.length === 0 && html`<p class="empty">No collection can be used without a token. Paste one above to see more.</p>`}
${collections}
${serviceHtml(project.id, parts, '/_batch', 'Several collections at once')}
${serviceHtml(project.id, parts, '/_auth/', 'Accounts')}
</main>
</div>
</body>
</html>
`;
  return page.text;
}

function navigation({ collections }: Audience, { paths }: DocumentParts): Html {
  const link = (id: string) =>
    html`<li data-search="${id}"><a href="#${id}">${id.replace(/^.*\./, '')}</a></li>`;
  const links = (prefix: string) =>
    operationsBelow(paths, prefix).map(({ operation }) => link(String(operation.operationId)));
  return html`<ul>
<li><a href="#guide">How it works</a></li>
${[...collections.values()].map(
  ({ definition: { id, name }, methods }) => html`<li><a href="#${id}">${name}</a><ul>${[...methods].map(
    (method) => link(`${id}.${method}`),
  )}</ul></li>
`,
)}${paths['/_batch'] && html`<li><a href="#_batch">Several collections</a></li>`}
<li><a href="#_auth">Accounts</a><ul>${links('/_auth')}</ul></li>
</ul>`;
}

interface Below {
  readonly path: string;
  readonly verb: string;
  readonly operation: JsonObject;
}

function operationsBelow(paths: DocumentParts['paths'], prefix: string): Below[] {
  const there = Object.entries(paths).filter(([path]) => path === prefix || path.startsWith(`${prefix}/`));
  return there.flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })),
  );
}

/** Operations that are of no collection. */
function serviceHtml(
  project: string,
  { paths, parameters }: DocumentParts,
  prefix: string,
  title: string,
): Html | false {
  const operations = operationsBelow(paths, prefix.replace(/\/$/, ''));
  if (operations.length === 0) return false;
  return html`<section class="collection"${prefix === '/_auth/' && html` id="_auth"`}>
<h2>${title}</h2>
${operations.map(({ path, verb, operation }) => {
  const named = ((operation.parameters ?? []) as readonly JsonObject[]).map(({ $ref, ...own }) => {
    return (
      parameters[
        String($ref ?? '')
          .split('/')
          .at(-1) ?? ''
      ] ?? own
    );
  });
  const open = JSON.stringify(operation.security) === '[]';
  return operationHtml({
    project,
    operation,
    verb,
    path,
    who: open
      ? 'Without a token.'
      : prefix === '/_batch'
        ? 'Each of its operations is for whom it is for alone.'
        : 'For a signed-in user.',
    example: serviceExample(verb, path, operation, !open),
    parameters: named,
  });
})}
</section>
`;
}

/** The body is made from its schema: it has few fields, and they speak for themselves. */
function serviceExample(verb: string, path: string, operation: JsonObject, token: boolean) {
  const schema = (
    operation.requestBody as { content: { 'application/json': { schema: JsonObject } } } | undefined
  )?.content['application/json'].schema;
  const properties = Object.keys((schema?.properties ?? {}) as JsonObject);
  const values: Readonly<Record<string, string>> = {
    email: 'ann@example.com',
    password: 'correct horse battery',
  };
  const body: JsonObject =
    path === '/_batch'
      ? { operations: [] }
      : Object.fromEntries(properties.map((name) => [name, values[name] ?? '…']));
  const name = String(operation.operationId).replace('_auth.', '');
  const client = `const result = await client.auth.${name}(${schema ? JSON.stringify(body) : ''});`;
  return {
    verb: verb.toUpperCase(),
    path: path.replaceAll(/\{\w+\}/g, '01982f4e-7a3c-7b1e-9d52-3f0c8a6e4b17'),
    ...(schema && { body }),
    token,
    client,
  };
}
