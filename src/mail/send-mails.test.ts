import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Catalog } from '../catalog/catalog.ts';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import { sendMails } from './send-mails.ts';

const mail = {
  id: '1',
  kind: 'emailAsked',
  email: 'a@b.c',
  subject: 'x@y.z',
  created: Date.now(),
  tries: 0,
};

/** A sender of this one mail in each of several projects, of which the first can't be opened for now, nor `corrupt` at all. */
function makeSender(project: object, ids = ['bad', 'good']) {
  const accounts = {
    listDueMails: async () => [mail],
    countMails: async () => 1,
    tryMail: async () => true,
    removeMail: async () => {},
  };
  const catalog = {
    coordination: { listWork: async () => ids.map((id) => ({ project: id })) },
    useAccounts: async (id: string, work: (opened: object) => unknown) => {
      if (id === 'bad') throw new Failure('unavailable', 'it is being upgraded');
      if (id === 'corrupt') throw new Error('the file is corrupt');
      return work({ store: { accounts } });
    },
    requireProject: async () => project,
  } as unknown as Catalog;
  const sent: string[] = [];
  const errors: unknown[] = [];
  const transport = { send: async ({ to }: { to: string }) => void sent.push(to) };
  const log = { info() {}, error: (_: string, error: unknown) => void errors.push(error) } as unknown as Log;
  const sender = { catalog, transport: transport as never, publicUrl: 'https://x', log, now: Date.now };
  return { sender, sent, errors };
}

it('a project that cannot be opened keeps no mail of another from being sent', async () => {
  const { sender, sent, errors } = makeSender({ name: 'Shop', auth: { mail: {} } });
  await assert.rejects(sendMails(sender, new AbortController().signal), /it is being upgraded/);
  assert.deepEqual(sent, ['a@b.c']);
  assert.deepEqual(errors, []);
});

it('a mail that a bug keeps from being written is an error in the log, with its stack', async () => {
  const { sender, sent, errors } = makeSender({ name: 'Shop' });
  await assert.rejects(sendMails(sender, new AbortController().signal), /it is being upgraded/);
  assert.deepEqual(sent, []);
  assert.ok(errors[0] instanceof TypeError, String(errors[0]));
});

it('a project that is out of reach does not hide what is wrong with another', async () => {
  const { sender, sent } = makeSender({ name: 'Shop', auth: { mail: {} } }, ['bad', 'corrupt', 'good']);
  await assert.rejects(sendMails(sender, new AbortController().signal), /the file is corrupt/);
  assert.deepEqual(sent, ['a@b.c']);
});
