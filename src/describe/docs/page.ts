import type { Steps } from '../../awaitable.ts';
import { readStoredProfile } from '../../model/profile.ts';
import type { Audience } from '../audience.ts';
import { openapiSteps, type Subject } from '../openapi.ts';
import { usersOwn } from '../profile-schemas.ts';
import { collectionHtml, type DocumentParts } from './collection.ts';
import { exampleRecord } from './examples.ts';
import { guideHtml } from './guide.ts';
import { type Html, html } from './html.ts';
import { operationsBelow, serviceHtml } from './service.ts';

/** GET /v1/:project/_docs: the documentation for people. It can be read without its script, which only adds to it. */
export function* docsSteps(subject: Subject): Steps<string> {
  const { project, audience } = subject;
  const { paths, components } = (yield* openapiSteps(subject)) as unknown as Pick<DocumentParts, 'paths'> & {
    readonly components: Pick<DocumentParts, 'parameters'>;
  };
  const parts = { paths, parameters: components.parameters };
  const profile = exampleRecord({ definition: usersOwn(readStoredProfile(project.auth.profile)) });
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
<a class="skip" href="#_content">To the content</a>
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
<main id="_content">
${guideHtml(project)}
${collections.length === 0 && html`<p class="empty">No collection can be used without a token. Paste one above to see more.</p>`}
${collections}
${serviceHtml(project.id, parts, '_batch', 'Several collections at once')}
${serviceHtml(project.id, parts, '_changes', 'What changed since')}
${serviceHtml(project.id, parts, '_auth', 'Accounts', profile)}
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
<li><a href="#_guide">How it works</a></li>
${[...collections.values()].map(
  ({ definition: { id, name }, methods }) => html`<li><a href="#${id}">${name}</a><ul>${[...methods].map(
    (method) => link(`${id}.${method}`),
  )}</ul></li>
`,
)}${paths['/_batch'] && html`<li><a href="#_batch">Several collections</a></li>`}
${paths['/_changes'] && html`<li><a href="#_changes">What changed since</a></li>`}
<li><a href="#_auth">Accounts</a><ul>${links('/_auth')}</ul></li>
</ul>`;
}
