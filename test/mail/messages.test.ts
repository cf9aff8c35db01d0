import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { writeMessage } from '../../src/mail/message.ts';
import { mailPage } from '../../src/mail/page/page.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { linkKinds } from '../../src/model/mail-settings.ts';
import { mailKinds } from '../../src/store/account-mails.ts';
import { Clock, makePeople, type People } from '../auth/people.ts';
import { startApp, type TestApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { asAdmin, assertRefused, resultOf } from '../support.ts';
import { Post } from './post.ts';

const clock = new Clock();
const post = new Post();
let app: TestApp;
let people: People;
before(async () => {
  app = await startApp({ now: clock.now, mail: post });
  people = await makePeople(app);
});
after(() => app.close());

const set = (mail: unknown) =>
  app.call('PATCH', '/v1/_admin/projects/shop', { body: { auth: { mail } } as JsonObject, ...asAdmin });

describe("a project's own words and links", () => {
  it('are taken as they are, and used', async () => {
    const mail = {
      senderName: 'The Shop, Ltd.',
      links: {
        reset: 'https://app.example/reset?token={token}&from=mail',
        invite: 'https://app.example/join/{invitation}#token={token}',
      },
      templates: {
        reset: { subject: 'Hello {name}', text: 'Dear {name} <{email}>,\n\n{link}\n\n{project}' },
        verify: { subject: 'Only a subject' },
      },
    };
    const { auth } = resultOf(await set(mail)) as { auth: JsonObject };
    assert.deepEqual(auth.mail, mail);
    const body = { email: 'ann@example.com', password: 'correct horse', name: '<b>Ann</b> & {link}' };
    resultOf(await people.auth('POST', 'register', body), 201);
    resultOf(await people.auth('POST', 'forgot', { email: 'ann@example.com' }));
    await app.work();
    const { subject, text, html, senderName } = post.last('ann@example.com');
    assert.equal(senderName, 'The Shop, Ltd.');
    assert.equal(subject, 'Hello <b>Ann</b> & {link}');
    assert.match(
      text,
      /^Dear <b>Ann<\/b> & \{link\} <ann@example\.com>,\n\nhttps:\/\/app\.example\/reset\?token=[\w-]{43}&from=mail\n\nshop$/,
    );
    assert.match(html, /<p>Dear &lt;b&gt;Ann&lt;\/b&gt; &amp; \{link\} &lt;ann@example\.com&gt;,<\/p>/);
    assert.match(html, /<a href="https:\/\/app\.example\/reset\?token=[\w-]{43}&amp;from=mail">/);
    assert.deepEqual((resultOf(await set({})) as { auth: JsonObject }).auth.mail, {}, 'set as a whole');
  });

  it('that would not work are refused, each with what is wrong', async () => {
    const link = 'https://app.example/?token={token}';
    for (const [mail, part] of [
      ['x', 'auth.mail'],
      [{ sender: 'x' }, 'auth.mail.sender'],
      [{ senderName: 'a\r\nBcc: eve@example.com' }, 'auth.mail.senderName'],
      [{ senderName: '' }, 'auth.mail.senderName'],
      [{ links: { resets: link } }, 'auth.mail.links.resets'],
      [{ links: { reset: 'https://app.example/' } }, 'token={token}'],
      [{ links: { reset: 'https://app.example/?t={token}' } }, 'token={token}'],
      [{ links: { reset: 'https://app.example/?token={token}&again={token}' } }, 'token={token} in it once'],
      [{ links: { reset: `${link}&token={token}` } }, 'token={token}'],
      [{ links: { reset: 'javascript:alert(1)//token={token}' } }, 'http'],
      [{ links: { reset: '/reset?token={token}' } }, 'http'],
      [{ links: { reset: 'https://u:p@app.example/?token={token}' } }, 'http'],
      [{ links: { reset: 'https://app.example/ ?token={token}' } }, 'http'],
      [{ links: { reset: `${link}&i={invitation}` } }, '{invitation}'],
      [{ templates: { reset: { text: 'no way on' } } }, '{link}'],
      [{ templates: { reset: { text: '{link} {workspace}' } } }, '{workspace}'],
      [{ templates: { reset: { subject: '{link}' } } }, 'subject'],
      [{ templates: { reset: { subject: 'a\nb' } } }, 'one line'],
      [{ templates: { reset: { html: '<p>' } } }, 'html'],
      [{ templates: { invited: {} } }, 'invited'],
    ] as const) {
      assertRefused(await set(mail), 400, part);
    }
    const { auth } = resultOf(await app.call('GET', '/v1/_admin/projects/shop', asAdmin)) as {
      auth: JsonObject;
    };
    assert.deepEqual(auth.mail, {});
  });
});

it(`nothing that people write gets into the HTML or the head of a mail as it is (VITRINE_SEED=${seed})`, () => {
  const link = 'https://data.example.com/?token=x';
  const nasty = fc.array(
    fc.constantFrom(
      ...'<>"\'&{}\r\n.@:/ax',
      'http://',
      '{link}',
      'token=',
      '\u202e',
      '\u0000',
      'evil.example',
    ),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(nasty, fc.constantFrom(...mailKinds), (parts, kind) => {
      const written = parts.join('');
      const values = { link, name: written, workspace: written, email: 'ann@example.com', project: 'P' };
      const { subject, text, html } = writeMessage(kind, values, {
        templates: { reset: { subject: '{name}', text: '{name} {link}' } },
      });
      assert.doesNotMatch(subject, /[\r\n\0]/);
      const tags = html.match(/<[^>]*>/g) ?? [];
      assert.ok(
        tags.every((tag) =>
          /^<(!doctype html|\/?(html|head|body|p|a)|meta charset="utf-8"|br|a href="[^"<>]*")>$/.test(tag),
        ),
        html,
      );
      for (const [whole] of html.matchAll(/href="[^"]*"/g)) assert.equal(whole, `href="${link}"`);
      assert.ok(!`${text}${subject}`.includes('evil.example') && !/https?:\/\/(?!data)/.test(text), text);
    }),
    { seed, numRuns: 300 },
  );
});

describe('the pages that links lead to', () => {
  it('are plain, private and the same for every project; they run nothing but our script', async () => {
    for (const kind of linkKinds) {
      const reply = await app.call('GET', `/_mail/${kind}/whatever`);
      assert.equal(reply.status, 200);
      assert.equal(reply.text, mailPage(kind));
      const policy = reply.headers.get('content-security-policy') ?? '';
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
      assert.ok(!policy.includes('unsafe'));
      assert.equal(reply.headers.get('referrer-policy'), 'no-referrer');
      assert.equal(reply.headers.get('cache-control'), 'no-store');
      assert.equal(reply.headers.get('access-control-allow-origin'), null);
      assert.doesNotMatch(reply.text, /<script(?![^>]*src=)|style="|onclick|href="\/|src="\//);
    }
    for (const path of ['/_mail/script.js', '/_mail/style.css']) {
      const reply = await app.call('GET', path);
      assert.equal(reply.status, 200, path);
      assert.ok(reply.headers.has('content-security-policy'));
    }
    assertRefused(await app.call('GET', '/_mail/other/shop'), 404);
    assertRefused(await app.call('POST', '/_mail/reset/shop'), 405);
  });
});
