import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Catalog } from '../catalog/catalog.ts';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import { sendMails } from './send-mails.ts';

it('a project that cannot be opened keeps no mail of another from being sent', async () => {
  const mail = {
    id: '1',
    kind: 'emailAsked',
    email: 'a@b.c',
    subject: 'x@y.z',
    created: Date.now(),
    tries: 0,
  };
  const accounts = {
    listDueMails: async () => [mail],
    countMails: async () => 1,
    tryMail: async () => true,
    removeMail: async () => {},
  };
  const catalog = {
    coordination: { listWork: async () => ['bad', 'good'].map((project) => ({ project })) },
    useAccounts: async (project: string, work: (opened: object) => unknown) => {
      if (project === 'bad') throw new Failure('unavailable', 'it is being upgraded');
      return work({ store: { accounts } });
    },
    requireProject: async () => ({ name: 'Shop', auth: { mail: {} } }),
  } as unknown as Catalog;
  const sent: string[] = [];
  const transport = { send: async ({ to }: { to: string }) => void sent.push(to) };
  const log = { info() {}, error() {} } as unknown as Log;
  const sender = { catalog, transport: transport as never, publicUrl: 'https://x', log, now: Date.now };
  await assert.rejects(sendMails(sender, new AbortController().signal), /it is being upgraded/);
  assert.deepEqual(sent, ['a@b.c']);
});
