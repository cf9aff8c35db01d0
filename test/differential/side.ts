import { strFromU8, unzipSync } from 'fflate';
import { adminKey, type TestApp } from '../harness.ts';
import { type Answer, anyId, anySecret, idName, type Step, secrets } from './step.ts';

/** Headers that say something else each time. */
const passing = new Set(['x-request-id', 'date']);

/** One of the two products, and what it calls the things that have a name in the steps. */
export class Side {
  readonly app: TestApp;
  readonly #project: string;
  readonly #names = new Map<string, string>();
  readonly #own = new Map<string, string>();

  constructor(app: TestApp, project: string) {
    this.app = app;
    this.#project = project;
  }

  async send(step: Step): Promise<Answer> {
    const { verb, path, body, token, headers } = step;
    const request = new Request(`http://vitrine.test${this.#translate(path)}`, {
      method: verb,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== undefined && {
          authorization: `Bearer ${token === 'admin' ? adminKey : this.#translate(token)}`,
        }),
        ...headers,
      },
      ...(body !== undefined && { body: this.#translate(body) }),
    });
    const response = await this.app.fetch(request);
    const text = textOf(Buffer.from(await response.arrayBuffer()));
    const told = [...response.headers].filter(([name]) => !passing.has(name)).sort();
    return {
      status: response.status,
      headers: Object.fromEntries(told),
      text: inOrder(this.#named(step.n, text)),
    };
  }

  /** A name that nothing has yet stays as it is: an id that is not there, a token that is not good. */
  #translate(text: string): string {
    const own = (name: string) => this.#own.get(name) ?? name;
    return text
      .replaceAll(':project', this.#project)
      .replace(/(?:%(?:3[0-9]|6[1-6]|2D)){36}/g, (run) =>
        encoded(decodeURIComponent(run).replace(anyId, own)),
      )
      .replace(anyId, own)
      .replace(anySecret, own);
  }

  #named(step: number, text: string): string {
    let nth = 0;
    const named = text.replace(anyId, (id) => {
      const known = this.#names.get(id);
      if (known !== undefined || id.startsWith('dddddddd-')) return known ?? id;
      const name = idName(step, nth);
      nth += 1;
      this.#note(name, id);
      return name;
    });
    const result = resultOf(named);
    return secrets.reduce((told, secret) => {
      const own = result[secret];
      if (typeof own !== 'string' || (secret === 'key' && !own.startsWith('vk_'))) return told;
      const name = `@${secret}.${step}`;
      this.#note(name, own);
      return told.replaceAll(JSON.stringify(own), JSON.stringify(name));
    }, named);
  }

  #note(name: string, own: string): void {
    this.#names.set(own, name);
    this.#own.set(name, own);
  }
}

function encoded(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

/** Of a workbook, which is an archive, what is in it. */
function textOf(bytes: Buffer): string {
  if (!bytes.subarray(0, 2).equals(Buffer.from('PK'))) return bytes.toString();
  const files = Object.entries(unzipSync(bytes)).map(([name, file]) => `${name}\n${strFromU8(file)}`);
  return files.join('\n');
}

export function resultOf(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) as { result?: Record<string, unknown> }).result ?? {};
  } catch {
    return {};
  }
}

/** `_include` has no promised order. Any other answer stays as it was written. */
function inOrder(text: string): string {
  if (!text.startsWith('{"ok":true') || !text.includes('"_include":{"')) return text;
  const answer = JSON.parse(text) as { result: { _include?: Record<string, { _id: string }[]> } };
  for (const rows of Object.values(answer.result._include ?? {})) {
    rows.sort((a, b) => (a._id < b._id ? -1 : 1));
  }
  return JSON.stringify(answer);
}
