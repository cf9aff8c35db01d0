import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, beforeEach, describe, it } from 'node:test';
import { fileTransport } from '../../src/mail/file-transport.ts';
import { readMailFlags } from '../../src/mail/read-mail-flags.ts';
import { pauseAfter } from '../../src/mail/send-mails.ts';
import { smtpTransport } from '../../src/mail/smtp-transport.ts';
import type { Transport } from '../../src/mail/transport.ts';
import { Clock, day, minute, People, password, second } from '../auth/people.ts';
import { quickRoom } from '../durability/crash-recorder.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertRefused, pause, resultOf } from '../support.ts';
import { tokenIn } from './post.ts';
import { MailServer } from './smtp-server.ts';

const from = 'noreply@example.com';
const clock = new Clock();
const server = new MailServer();
let app: TestApp;
let people: People;
let transport: Transport;

before(async () => {
  await server.up();
  transport = await mailsOver(60_000);
  app = await startApp({ now: clock.now, mail: transport });
  await app.project('shop');
  people = new People(app, 'shop');
  await people.register('ann');
});

/** Mails over the server, which may be silent for so many milliseconds. */
function mailsOver(patience: number): Promise<Transport> {
  const place = { host: '127.0.0.1', port: server.port, secure: false, user: '', password: '' };
  return smtpTransport(place, from, { connecting: patience, silence: patience });
}

after(async () => {
  await app.close();
  await server.down();
});
beforeEach(() => {
  server.mood = 'good';
  server.received.length = 0;
  server.connections = 0;
  clock.move(2 * 60 * minute); // no limit of the test before holds
});

const forgot = async () => resultOf(await people.auth('POST', 'forgot', { email: people.email('ann') }));
const idOf = (text: string) => /^Message-ID: (\S+)/im.exec(text)?.[1];

describe('a server of mails that answers without an end', () => {
  for (const [name, part] of [
    ['a line', 'x'.repeat(10_000)],
    ['lines', '220-and so on\r\n'.repeat(1_000)],
  ] as const) {
    it(`is left: ${name}`, async () => {
      let sent = 0;
      const hostile = createServer((socket) => {
        const more = () => {
          while (!socket.destroyed && sent < 100_000_000) {
            sent += part.length;
            if (!socket.write(part)) return;
          }
        };
        socket.on('error', () => {});
        socket.on('drain', more);
        socket.write('220 ');
        more();
      }).listen(0, '127.0.0.1');
      await once(hostile, 'listening');
      const { port } = hostile.address() as AddressInfo;
      await assert.rejects(sendTo(port), /maximum allowed size/);
      hostile.close();
      assert.ok(sent < 50_000_000, `${sent} bytes were taken`);
    });
  }

  it('and so is one whose answer ends, but has 200 KB: 64 are taken', async () => {
    for (const [kilobytes, isTaken] of [
      [60, true],
      [200, false],
    ] as const) {
      let isText = false;
      const wordy = createServer((socket) => {
        socket.on('error', () => {});
        socket.write(`${`220-${'x'.repeat(94)}\r\n`.repeat(kilobytes * 10)}220 ready\r\n`);
        createInterface(socket).on('line', (line) => {
          if (isText && line !== '.') return;
          isText = line === 'DATA';
          socket.write(isText ? '354 go on\r\n' : '250 done\r\n');
        });
      }).listen(0, '127.0.0.1');
      await once(wordy, 'listening');
      const { port } = wordy.address() as AddressInfo;
      try {
        if (isTaken) await sendTo(port);
        else await assert.rejects(sendTo(port), /maximum allowed size/);
      } finally {
        wordy.close();
      }
    }
  });
});

/** Sends a mail by whoever listens at the port of this machine. */
async function sendTo(port: number): Promise<void> {
  const place = { host: '127.0.0.1', port, secure: false, user: '', password: '' };
  const mails = await smtpTransport(place, from);
  await mails.send({ id: 'a', to: 'ann@example.com', subject: '', text: '', html: '', senderName: '' });
}

describe('mail over SMTP', () => {
  it('arrives, as text and HTML, from the sender, with a link that works', async () => {
    await forgot();
    await app.work();
    const [mail, ...more] = server.received;
    assert.ok(mail && more.length === 0);
    assert.deepEqual(mail.to, [people.email('ann')]);
    assert.equal(mail.from, from);
    assert.match(mail.text, /^From: noreply@example\.com\r$/m);
    assert.match(mail.text, /^Content-Type: multipart\/alternative/m);
    assert.match(mail.text, /^Content-Type: text\/html; charset=utf-8/m);
    assert.match(mail.text, /^Auto-Submitted: auto-generated/im);
    const token = tokenIn(mail.text);
    assert.match(mail.text, /https:\/\/data\.example\.com\/base\/_mail\/reset\/shop#token=/);
    resultOf(await people.auth('POST', 'reset', { token, password }));
    await app.work();
    assert.equal(server.received.length, 1, 'once');
  });

  it('waits while the server is down, over a restart, with growing pauses', async () => {
    await server.down();
    await forgot();
    await app.work();
    await app.reopen();
    await app.work(); // not due yet
    clock.move(pauseAfter(0));
    await app.work();
    await server.up();
    clock.move(pauseAfter(1) - second);
    await app.work();
    assert.equal(server.received.length, 0, 'the second pause is longer');
    clock.move(second);
    await app.work();
    assert.equal(server.received.length, 1);
    assert.deepEqual([0, 1, 5, 50].map(pauseAfter), [10_000, 30_000, 2_430_000, 7_200_000]);
  });

  it('is tried again where it was refused', async () => {
    server.mood = 'refuses';
    await forgot();
    await app.work();
    assert.deepEqual([server.received.length, server.connections], [0, 1]);
    server.mood = 'good';
    clock.move(pauseAfter(0));
    await app.work();
    assert.equal(server.received.length, 1);
  });

  it('comes again where the connection was cut after it was sent, with the same id, and each token works', async () => {
    server.mood = 'dropsAfterData';
    await forgot();
    await app.work();
    server.mood = 'good';
    clock.move(pauseAfter(0));
    await app.work();
    const [first, second, ...more] = server.received.map(({ text }) => text);
    assert.ok(first && second && more.length === 0);
    assert.equal(idOf(first), idOf(second));
    resultOf(await people.auth('POST', 'reset', { token: tokenIn(first), password }));
    assertRefused(await people.auth('POST', 'reset', { token: tokenIn(second), password }), 400, 'token');
  });

  it('so does an invitation, whichever of its mails is read', async () => {
    const ann = await people.login('ann');
    const ben = { token: (await people.register('ben')).accessToken };
    const space = await people.workspace(ann, 'North');
    const path = `workspaces/${space}/invitations`;
    const body = { email: people.email('ben') };
    const { _id } = resultOf(await people.auth('POST', path, body, { token: ann.accessToken }), 201);
    server.mood = 'dropsAfterData';
    await app.work();
    server.mood = 'good';
    clock.move(pauseAfter(0));
    await app.work();
    const [first, second, ...more] = server.received.map(({ text }) => tokenIn(text));
    assert.ok(first && second && more.length === 0);
    const accept = (token: string) => people.auth('POST', `invitations/${_id}/accept`, { token }, ben);
    assertRefused(await accept(`${first} ${second}`), 400, 'token');
    assert.equal(resultOf(await accept(first))._id, space);
    assertRefused(await accept(second), 404);
  });

  it('a server that is silent holds up nobody else, and is given up', async () => {
    server.mood = 'silent';
    const hasty = await mailsOver(1_500);
    const beside = await startApp({ now: clock.now, mail: hasty });
    try {
      await beside.project('shop');
      const others = new People(beside, 'shop');
      await others.register('ben');
      resultOf(await others.auth('POST', 'forgot', { email: others.email('ben') }));
      const sending = beside.work();
      assert.equal((await others.tryLogin('ben')).status, 200);
      await sending;
      // Where all stood still for longer than that, it was given up before the server, in this very process, could see it.
      for (let tries = 0; tries < 400 && server.connections === 0; tries++) await pause(25);
      assert.deepEqual([server.received.length, server.connections], [0, 1]);
      assert.deepEqual(beside.errors, []);
    } finally {
      await beside.close();
    }
  });

  it('a server that is slow is waited for', async () => {
    server.mood = 'slow';
    await forgot();
    await app.work();
    assert.equal(server.received.length, 1);
  });

  it('is given up after a day', async () => {
    server.mood = 'refuses';
    await forgot();
    clock.move(day);
    await app.work();
    server.mood = 'good';
    clock.move(day);
    await app.work();
    assert.deepEqual([server.received.length, server.connections], [0, 0]);
    assert.deepEqual(app.errors, []);
  });
});

it('as files, for development: private, each a whole mail', async () => {
  const directory = mkdtempSync(join(quickRoom, 'vitrine-mail-'));
  try {
    const place = join(directory, 'mails');
    const files = await fileTransport(place, from);
    const mail = { id: 'one', to: 'ann@example.com', subject: 'Grüße', text: 'Hallo', html: '<p>Hallo</p>' };
    await files.send({ ...mail, senderName: 'Ann "the\r\nBcc: eve@example.com" Shop' });
    assert.deepEqual(readdirSync(place), ['one.eml']);
    assert.equal(statSync(join(place, 'one.eml')).mode & 0o077, 0);
    const text = readFileSync(join(place, 'one.eml'), 'utf8');
    assert.match(text, /^To: ann@example\.com\r?$/m);
    assert.match(text, /\r\n\r\nHallo\r\n/);
    assert.match(text, /^Subject: =\?UTF-8\?/m);
    assert.doesNotMatch(text, /^Bcc:/m);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

it('the flags are read strictly', async () => {
  const good = { mail: 'smtp://u:s%40@mail.example', from, publicUrl: 'https://data.example.com/base/' };
  const setup = readMailFlags(good);
  assert.ok(setup && typeof setup !== 'string');
  assert.equal(setup.publicUrl, 'https://data.example.com/base');
  assert.equal(readMailFlags({ ...good, mail: '' }), undefined);
  for (const [change, word] of [
    [{ mail: 'http://mail.example' }, '--mail must be'],
    [{ mail: 'smtp://' }, '--mail must be'],
    [{ mail: 'smtp://mail.example/?tls=no' }, '--mail must be'],
    [{ mail: 'smtp://%@mail.example' }, '--mail must be'],
    [{ mail: 'file:' }, '--mail must be'],
    [{ from: '' }, '--mail-from'],
    [{ from: 'nobody' }, '--mail-from'],
    [{ from: 'Ann <ann@example.com>' }, '--mail-from'],
    [{ publicUrl: '' }, '--public-url'],
    [{ publicUrl: 'data.example.com' }, '--public-url'],
    [{ publicUrl: 'https://data.example.com/?x' }, '--public-url'],
  ] as const) {
    const said = readMailFlags({ ...good, ...change });
    assert.ok(typeof said === 'string' && said.includes(word), `${JSON.stringify(change)}: ${said}`);
    assert.ok(!said.includes('%40'), 'no secret is told');
  }
});
