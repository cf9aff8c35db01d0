import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { base, clientCode, curl, type Example, fetchCode, root } from './code.ts';
import { type Html, html } from './html.ts';

export interface OperationPart {
  readonly project: string;
  /** From the OpenAPI document. */
  readonly operation: JsonObject;
  readonly verb: string;
  readonly path: string;
  /** Who may use it, and on which records. */
  readonly who: string;
  /** A description of the body. */
  readonly body?: string | undefined;
  readonly example: Example | undefined;
  /** Parameters other than filters, resolved. */
  readonly parameters: readonly JsonObject[];
  /** Shown after the parameters. */
  readonly more?: Html | undefined;
}

/** An operation: parameters, responses, examples, and a form to send it. */
export function operationHtml(part: OperationPart): Html {
  const { operation, verb, path, who, parameters, example, project } = part;
  const id = String(operation.operationId);
  return html`<article class="operation" id="${id}" data-search="${`${id} ${verb} ${path} ${operation.summary}`}">
<h3><span class="verb ${verb}">${verb.toUpperCase()}</span> <code class="path">/v1/${project}${path}</code> <a class="anchor" href="#${id}" aria-label="Link to ${id}">#</a></h3>
<p class="summary">${String(operation.summary)}. <span class="who">${who}</span></p>
${part.body !== undefined && html`<p>${part.body}</p>`}
${parameters.length > 0 && parameterTable(parameters)}
${part.more}
<p class="answers">Answers ${statusList(operation.responses as JsonObject)}</p>
${example && examplesHtml(project, example)}
${formHtml(verb, path, example)}
</article>`;
}

function parameterTable(parameters: readonly JsonObject[]): Html {
  return html`<table><caption>Parameters</caption><thead><tr><th>Name</th><th>Value</th><th>Meaning</th></tr></thead><tbody>
${parameters.map(
  ({ name, schema, description, required, in: where }) => html`<tr>
<td><code>${String(name)}</code>${where === 'header' && html` <small>header</small>`}${required === true && html` <small>required</small>`}</td>
<td>${valueWords(schema)}</td><td>${typeof description === 'string' ? description : ''}</td></tr>
`,
)}</tbody></table>`;
}

/** The values of a parameter, in a few words. */
function valueWords(schema: Json | undefined): Html {
  if (!isJsonObject(schema)) return html``;
  const { type, items, minimum, maximum, format, default: preset } = schema;
  const options = schema.enum;
  if (type === 'array' && isJsonObject(items)) {
    return Array.isArray(items.enum)
      ? optionList(items.enum as string[], true)
      : html`names, separated by commas`;
  }
  if (Array.isArray(options)) return optionList(options as string[], false);
  const range =
    minimum === undefined
      ? ''
      : ` from ${minimum}${Number(maximum ?? Infinity) > 1e9 ? '' : ` to ${maximum}`}`;
  const otherwise = preset === undefined ? '' : `, default ${JSON.stringify(preset)}`;
  return html`${format === 'uuid' ? '_id' : String(type)}${range}${otherwise}`;
}

function optionList(options: readonly string[], several: boolean): Html {
  const plain = options.filter((option) => !option.startsWith('-'));
  const descending = plain.length < options.length ? ', each also with -' : '';
  return html`${several ? 'any of ' : 'one of '}${plain.map((option, at) => html`${at > 0 && ', '}<code>${option}</code>`)}${descending}`;
}

function statusList(responses: JsonObject): Html {
  const statuses = Object.keys(responses);
  return html`${statuses.map((status) => html`<code class="status s${status[0]}">${status}</code> `)}`;
}

function examplesHtml(project: string, example: Example): Html {
  const codes: [string, string][] = [
    ['curl', curl(example)],
    ['fetch', fetchCode(example)],
    ...(example.client === undefined
      ? []
      : ([['client', clientCode(project, example.client)]] as [string, string][])),
  ];
  return html`<div class="examples">${codes.map(
    ([name, code], at) =>
      html`<details name="${`${example.verb} ${example.path}`}"${at === 0 && html` open`}><summary>${name}</summary><pre tabindex="0"><code>${withPlaces(code, project)}</code></pre></details>`,
  )}</div>`;
}

/** Marks the placeholders, for which the page's script inserts the real URLs. */
export function withPlaces(code: string, project: string): Html {
  const parts = code.split(new RegExp(`([${base}${root}])`));
  return html`${parts.map((part) => {
    if (part === base) return html`<span class="base">https://vitrine.example/v1/${project}</span>`;
    return part === root ? html`<span class="root">https://vitrine.example</span>` : part;
  })}`;
}

function formHtml(verb: string, path: string, example: Example | undefined): Html {
  const sent = example?.path ?? path;
  const body = example?.body ?? (verb === 'post' || verb === 'patch' ? {} : undefined);
  return html`<form class="send" hidden data-verb="${verb.toUpperCase()}">
<label>${verb.toUpperCase()} <input name="path" value="${sent}" spellcheck="false" autocomplete="off"></label>
${body && html`<label>Body <textarea name="body" rows="${Math.min(12, Object.keys(body).length + 3)}" spellcheck="false">${JSON.stringify(body, null, 2)}</textarea></label>`}
<button>Send</button><output hidden></output>
</form>`;
}
