import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startChild } from '../children.ts';
import { closed, key, readAnswer, type Served, serve } from './world.ts';

const here = dirname(fileURLToPath(import.meta.url));
const program = (name: string) => join(here, '../../node_modules/.bin', name);
const megabyte = 1_000_000;

let served: Served;
before(async () => {
  served = await serve();
});
after(() => served.close());

interface Ask {
  readonly path: string;
  readonly bytes: number;
  readonly token: string;
}

/** Each sends bodies, one after the other, and gives back `<status> <ok>` for each. */
type Client = (asks: readonly Ask[]) => Promise<string[]>;

const fetching =
  (runtime: string): Client =>
  (asks) => {
    const sent = asks.map(({ path, ...ask }) => ({ ...ask, url: `${served.base}${path}` }));
    return output(runtime, [join(here, 'upload.ts'), JSON.stringify(sent)]);
  };

const each =
  (send: (ask: Ask) => Promise<string>): Client =>
  async (asks) => {
    const answers: string[] = [];
    for (const ask of asks) answers.push(await send(ask));
    return answers;
  };

const curl = each(async ({ path, bytes, token }) => {
  const authorization = token === '' ? [] : ['-H', `Authorization: Bearer ${token}`];
  const words = ['-sS', '-m', '60', '-X', 'POST', '-H', 'Content-Type: application/json', ...authorization];
  const size = `head -c ${bytes} /dev/zero | curl ${quoted(words)} --data-binary @- '${served.base}${path}' -w '%{http_code}'`;
  const lines = await output('sh', ['-c', size]);
  return `${lines.at(-1)} ${lines[0]?.startsWith('{"ok":false,') ? false : lines}`;
});

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');

/** Sends all of it before it reads anything. */
const socket = each(async ({ path, bytes, token }) => {
  const { hostname, port } = new URL(served.base);
  const connection = connect(Number(port), hostname);
  connection.on('error', () => {});
  await once(connection, 'connect');
  const head = ['POST', path, 'HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'].join(' ');
  const authorization = token === '' ? '' : `Authorization: Bearer ${token}\r\n`;
  connection.write(`${head}${authorization}Content-Length: ${bytes}\r\n\r\n`);
  const part = Buffer.alloc(megabyte, 'x');
  for (let sent = 0; sent < bytes && !connection.destroyed; sent += part.length) {
    const rest = part.subarray(0, bytes - sent);
    await new Promise((resolve) => connection.write(rest, resolve));
  }
  let text = '';
  connection.on('data', (more) => (text += more));
  connection.setTimeout(60_000, () => connection.destroy());
  await once(connection, 'close');
  const { status, body, headers } = readAnswer(text);
  assert.match(headers, /connection: close/);
  return `${status} ${JSON.parse(body).ok}`;
});

async function output(command: string, words: readonly string[]): Promise<string[]> {
  const child = startChild(command, words);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (text += part));
  await once(child, 'close');
  return text.trim().split('\n');
}

const clients: Record<string, Client> = {
  curl,
  "Node's fetch": fetching(program('node')),
  "Bun's fetch": fetching(program('bun')),
  'a socket that sends without reading': socket,
};

describe('a refusal arrives, whatever is being sent', () => {
  /** It takes ten seconds, in which the others are sent. */
  let endless: ReturnType<typeof sendWithoutEnd>;
  before(() => {
    endless = sendWithoutEnd();
  });

  for (const [name, client] of Object.entries(clients)) {
    it(`by ${name}`, async () => {
      const brands = '/v1/demo/brands';
      const asks: [Ask, string][] = [1.1, 3, 17, 200].flatMap((size) => {
        const bytes = size * megabyte;
        return [
          [{ path: brands, bytes, token: key }, '413 false'],
          [{ path: brands, bytes, token: '' }, '401 false'],
          [{ path: '/nowhere', bytes, token: '' }, '404 false'],
        ];
      });
      asks.push([{ path: `${brands}/batch`, bytes: 17 * megabyte, token: key }, '413 false']);
      asks.push([{ path: '/v1/_admin/projects', bytes: 17 * megabyte, token: '' }, '401 false']);
      const sent = asks.flatMap((ask) => Array<typeof ask>(ask[0].bytes > 20 * megabyte ? 1 : 4).fill(ask));
      const answers = await client(sent.map(([ask]) => ask));
      const told = (answer: string | undefined, ask: Ask) => `${JSON.stringify(ask)}: ${answer}`;
      assert.deepEqual(
        sent.map(([ask], at) => told(answers[at], ask)),
        sent.map(([ask, expected]) => told(expected, ask)),
      );
    });
  }

  it('at once to whoever asks before sending', async () => {
    const { hostname, port } = new URL(served.base);
    const connection = connect(Number(port), hostname);
    const start = performance.now();
    connection.write(
      'POST /nowhere HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5000000\r\n\r\n',
    );
    let text = '';
    connection.on('data', (part) => (text += part));
    await once(connection, 'close');
    assert.equal(readAnswer(text).status, 404, text);
    assert.ok(performance.now() - start < 9_000, 'it was waited for what is sent');
  });

  it('and ends the connection of a body that never comes to its end', async () => {
    assert.equal(readAnswer(await endless).status, 404);
  });
});

/** A byte at a time, of five million, which would take a month. What was answered before it was hung up on. */
async function sendWithoutEnd(): Promise<string> {
  const { hostname, port } = new URL(served.base);
  const connection = connect(Number(port), hostname);
  connection.on('error', () => {});
  connection.write('POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n');
  const sending = setInterval(() => connection.write('x'), 500);
  let text = '';
  connection.on('data', (part) => (text += part));
  await closed(connection);
  clearInterval(sending);
  return text;
}

describe('a good body', () => {
  it('comes after 100 Continue, where that is asked for', async () => {
    const { hostname, port } = new URL(served.base);
    const connection = connect(Number(port), hostname);
    const body = '{"name":"asked first"}';
    connection.write(
      `POST /v1/demo/brands HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    let text = '';
    connection.on('data', (part) => {
      text += part;
      if (text.endsWith('100 Continue\r\n\r\n')) connection.write(body);
    });
    connection.setTimeout(60_000, () => connection.destroy());
    await once(connection, 'close');
    assert.equal(readAnswer(text).status, 201, text);
  });
});
