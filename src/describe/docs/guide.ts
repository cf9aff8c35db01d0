import type { Subject } from '../openapi.ts';
import { base } from './code.ts';
import { type Html, html } from './html.ts';
import { withPlaces } from './operation.ts';

/** General rules for all operations. */
export function guideHtml({ id }: Subject['project']): Html {
  return html`<section id="_guide">
<h2>How it works</h2>
<p>The address of this project is <code>${withPlaces(base, id)}</code>. For machines the same is described at <a href="_openapi.json">_openapi.json</a> (OpenAPI 3.1).</p>
<dl>
<dt>Answers</dt><dd>Every answer is <code>{"ok": true, "result": {…}}</code> or <code>{"ok": false, "error": "…"}</code>. An error names everything that is wrong: <code>price: must be at least 0; title: is required</code>.</dd>
<dt>Tokens</dt><dd>Send the header <code>Authorization: Bearer …</code> with a user's <code>accessToken</code> from <a href="#_auth.login">login</a>, or with a server key. Without a token this page shows what is open to everybody.</dd>
<dt>Filters</dt><dd><code>status=live&amp;price&gt;=10&amp;price&lt;20</code>: all must hold. <code>status=live,draft</code> means one of these, <code>status!=draft</code> none of these. An empty value finds records in which the field is unset (<code>brand=</code>) or set (<code>brand!=</code>). A comma inside a value is written <code>\\,</code>.</dd>
<dt>Pages</dt><dd>Use <code>page</code> and <code>perPage</code>. To read everything, start with <code>after=</code> and go on with the <code>next</code> of each answer.</dd>
<dt>Unset values</dt><dd>An unset field is <code>null</code>, an unset list <code>[]</code>. <code>null</code> in a body unsets a field. Unknown fields and parameters are refused.</dd>
<dt>Retries</dt><dd>A write with the header <code>Idempotency-Key</code> can be sent again: for 24 hours the same key gets the first answer, and nothing is done twice.</dd>
</dl>
</section>
`;
}
