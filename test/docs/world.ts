import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '../children.ts';
import type { Keep, Step } from './blocks.ts';
import { assertHttp, assertJson, assertText } from './expect.ts';
import { readCommands, readCurl } from './shell.ts';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const main = join(root, 'src/main.ts');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

/** Where a page says the server is. */
const written = '127.0.0.1:8090';

interface Ended {
  readonly output: string;
  readonly code: number | null;
}

/** A directory with a running server beside it, in which a page is followed step by step. */
export class World {
  readonly directory: string;
  /** What runs Vitrine's commands: a program and its first words. */
  readonly #vitrine: readonly string[];
  readonly #server: ChildProcess;
  readonly #host: string;
  readonly #variables: Map<string, string>;

  private constructor(
    directory: string,
    vitrine: readonly string[],
    server: ChildProcess,
    host: string,
    variables: Map<string, string>,
  ) {
    this.directory = directory;
    this.#vitrine = vitrine;
    this.#server = server;
    this.#host = host;
    this.#variables = variables;
  }

  /** `npm start` as a page has it, on a free port, with what it tells to export: on the runtime that runs the test, or by another program. */
  static async start(
    markdown: string,
    vitrine: readonly string[] = [process.execPath, main],
  ): Promise<World> {
    const directory = await mkdtemp(join(tmpdir(), 'vitrine-docs-'));
    const exported = [...markdown.matchAll(/^export (\w+)=(\S+)$/gm)];
    const variables = new Map(exported.map(([, name = '', value = '']) => [name, value]));
    const [program = '', ...words] = vitrine;
    const server = startChild(program, [...words, 'serve', '--demo', '--port', '0'], {
      cwd: directory,
      env: { ...process.env, ...Object.fromEntries(variables) },
    });
    const host = await new Promise<string>((resolve, reject) => {
      let output = '';
      const take = (part: Buffer) => {
        output += part;
        const found = /Vitrine is at http:\/\/(\S+)/.exec(output)?.[1];
        if (found) resolve(found);
      };
      server.stdout.on('data', take);
      server.stderr.on('data', take);
      server.once('close', () => reject(new Error(`did not start: ${output}`)));
    });
    // As `npm install vitrine` would have it.
    await mkdir(join(directory, 'node_modules'));
    await symlink(root, join(directory, 'node_modules/vitrine'));
    return new World(directory, vitrine, server, host, variables);
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.once('close', resolve));
    this.#server.kill('SIGKILL');
    await closed;
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Follows a step; how many commands were really run. */
  async follow(step: Step): Promise<number> {
    if (step.kind === 'file') {
      const { text } = step.block;
      const isCode = step.name.endsWith('.ts');
      await writeFile(join(this.directory, step.name), isCode ? text.replaceAll(written, this.#host) : text);
      return 0;
    }
    const commands = readCommands(step.block.text, this.#variables);
    let run = 0;
    for (const [index, words] of commands.entries()) {
      const last = index === commands.length - 1;
      if (await this.#perform(words, last ? step : { ...step, answer: undefined, keep: [] })) run += 1;
    }
    return run;
  }

  async #perform(all: readonly string[], step: Step & { kind: 'commands' }): Promise<boolean> {
    const start = all.findIndex((word) => !/^\w+=/.test(word));
    const set = all.slice(0, start).map((word) => word.split(/=(.*)/s) as [string, string]);
    const words = all.slice(start);
    const [program = '', ...rest] = words;
    if (program === 'curl') await this.#request(words, step);
    else if (words.slice(0, 4).join(' ') === 'npm run vitrine --')
      await this.#command([...this.#vitrine, ...words.slice(4)], set, step);
    else if (program === 'npx' && rest[0] === 'vitrine') {
      if (rest[1] === 'serve') return false; // as `npm start`
      await this.#command([...this.#vitrine, ...rest.slice(1)], set, step);
    } else if (program === 'node') await this.#command([process.execPath, ...rest], set, step);
    else if (program === 'export')
      return false; // done at the start
    else {
      assert.equal(program, 'npm', `'${words.join(' ')}' is not a command that the test knows`);
      const script = rest[0] === 'run' ? (rest[1] ?? '') : (rest[0] ?? '');
      const isKnown = ['ci', 'install'].includes(script) || Object.hasOwn(scripts, script);
      assert.ok(isKnown, `there is no script '${script}'`);
      return false;
    }
    return true;
  }

  async #request(words: readonly string[], { answer, keep }: Step & { kind: 'commands' }): Promise<void> {
    const { url, init, shown, output } = readCurl(words, (name) => this.#read(name));
    const response = await fetch(url.replace(written, this.#host), { ...init, redirect: 'manual' });
    const bytes = Buffer.from(await response.arrayBuffer());
    const body = output === undefined ? bytes.toString() : '';
    if (output !== undefined) {
      assert.equal(response.status, 200, bytes.toString());
      await writeFile(join(this.directory, output), bytes);
    } else if (!answer) assert.ok(response.ok, `${response.status} ${body}`);
    else if (shown) assertHttp(answer.text, response, body);
    else if (answer.language === 'json') {
      assertJson(answer.text, body);
      assert.equal(response.ok, (JSON.parse(body) as { ok: boolean }).ok);
    } else assertText(answer.text, body);
    for (const one of keep) this.#variables.set(one.as, kept(one, response, body));
  }

  async #command(
    words: readonly string[],
    set: readonly [string, string][],
    { answer }: Step & { kind: 'commands' },
  ): Promise<void> {
    const { output, code } = await this.#run(
      words.map((word) => word.replace(written, this.#host)),
      new Map([...this.#variables, ...set]),
    );
    assert.equal(code, 0, output);
    if (answer) assertText(answer.text, output.replaceAll(this.#host, written));
  }

  #run([program = '', ...words]: readonly string[], variables: ReadonlyMap<string, string>): Promise<Ended> {
    const env = { ...process.env, ...Object.fromEntries(variables) };
    const child = startChild(program, words, { cwd: this.directory, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += part));
    child.stdin.end();
    return new Promise((resolve) => child.once('close', (code) => resolve({ output, code })));
  }

  #read(name: string): string {
    return readFileSync(join(this.directory, name), 'utf8');
  }
}

/** `result.found[0]._id`. */
function kept({ from, header }: Keep, response: Response, body: string): string {
  if (header) return response.headers.get(from) ?? assert.fail(`there is no header ${from}`);
  let value: unknown = JSON.parse(body);
  for (const key of from.match(/[\w-]+/g) ?? [])
    value = (value as Record<string, unknown> | undefined)?.[key];
  return typeof value === 'string' ? value : assert.fail(`${from} is not a text in ${body}`);
}
