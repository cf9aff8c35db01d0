import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { makePeople, type People, type SignedIn } from '../auth/people.ts';
import { skipWithout, startBrowser } from '../browser.ts';
import { assertAccessible } from '../console/world.ts';
import { publicUrl, startApp, type TestApp } from '../harness.ts';
import { type Listed, resultOf } from '../support.ts';
import { Post } from './post.ts';

const browser = await startBrowser();
const post = new Post();
const other = 'another horse battery';
let app: TestApp;
let people: People;
let ann: SignedIn;
let base: string;

/** The app behind the path that its public address has, as a proxy would have it. */
const proxy = createServer(async (incoming, outgoing) => {
  const { method = 'GET', headers, url = '' } = incoming;
  const path = url.replace(/^\/base(?=\/)/, '');
  if (path === url) return void outgoing.writeHead(404).end();
  const body = method === 'GET' ? undefined : await bodyOf(incoming);
  const sent = new Headers(headers as Record<string, string>);
  const request = new Request(`http://vitrine.test${path}`, { method, headers: sent, ...(body && { body }) });
  const answer = await app.fetch(request);
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
  outgoing.end(Buffer.from(await answer.arrayBuffer()));
});

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

before(async () => {
  app = await startApp({ mail: post });
  people = await makePeople(app);
  ann = await people.register('ann');
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/base`;
});
after(async () => {
  await browser?.close();
  proxy.close();
  proxy.closeAllConnections();
  await app.close();
});

/** The page that the last mail to an address leads to; what it runs is allowed by its policy. */
async function follow(address: string): Promise<Page> {
  await app.work();
  const [link = ''] = /https:\S+/.exec(post.last(address).text) ?? [];
  assert.ok(link.startsWith(`${publicUrl}/_mail/`), link);
  const page = await browser?.newPage();
  assert.ok(page);
  page.on('console', (message) => assert.notEqual(message.type(), 'error', message.text()));
  await page.goto(link.replace(publicUrl, base));
  return page;
}

describe('the pages of mails, in a browser', { skip: skipWithout(browser) }, () => {
  it('set a password', async () => {
    resultOf(await people.auth('POST', 'forgot', { email: 'ann@example.com' }));
    const page = await follow('ann@example.com');
    await assertAccessible(page, 'reset');
    await page.getByLabel('New password').fill(other);
    await page.getByRole('button').click();
    await page.getByText('Your password is changed').waitFor();
    ann = await people.login('ann', other);
    await page.reload();
    page.removeAllListeners('console'); // of the 400 that comes now
    await page.getByLabel('New password').fill(other);
    await page.getByRole('button').click();
    await page.getByText('is not valid or has expired').waitFor();
    await page.close();
  });

  it('confirm an address', async () => {
    const currentPassword = other;
    const token = ann.accessToken;
    const body = { email: 'anna@example.com', currentPassword };
    resultOf(await people.auth('POST', 'email', body, { token }));
    const page = await follow('anna@example.com');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Your account now uses the new address').waitFor();
    assert.equal(resultOf(await people.me(token)).email, 'anna@example.com');
    await page.close();
  });

  it('say that an account is none of theirs', async () => {
    const eve = await people.register('eve');
    const { accessToken: token } = eve;
    resultOf(await people.auth('POST', 'verify/send', undefined, { token }));
    const page = await follow('eve@example.com');
    await assertAccessible(page, 'verify');
    await page.getByRole('button', { name: 'I created no account' }).click();
    await page.getByText("can't use it any more").waitFor();
    assert.equal((await people.me(token)).status, 401);
    await page.close();
  });

  it('take somebody new into a workspace', async () => {
    const space = await people.workspace(ann, 'North');
    const token = ann.accessToken;
    const body = { email: 'ben@example.com' };
    resultOf(await people.auth('POST', `workspaces/${space}/invitations`, body, { token }), 201);
    const page = await follow('ben@example.com');
    await assertAccessible(page, 'invite');
    await page.getByLabel('Address').fill('ben@example.com');
    await page.getByLabel('Password').fill(other);
    await page.getByRole('button', { name: 'Create an account and accept' }).click();
    await page.getByText('Continue in the app').waitFor();
    const members = resultOf(
      await people.auth('GET', `workspaces/${space}/members`, undefined, { token }),
    ) as unknown as Listed;
    assert.equal(members.total, 2);
    await page.close();
  });
});
