import type { Catalog } from '../../catalog/catalog.ts';
import type { Job } from '../../jobs/jobs.ts';
import type { Log } from '../../log.ts';
import { createMails, type Mails } from '../../mail/mails.ts';
import { type MailSetup, readMailFlags } from '../../mail/read-mail-flags.ts';
import { countWaiting, sendMails } from '../../mail/send-mails.ts';
import type { Transport } from '../../mail/transport.ts';
import { setGauge } from '../../metrics/gauges.ts';
import { type Flags, type FlagValues, UsageError } from '../flags.ts';

export const mailFlags: Flags = {
  mail: { kind: 'text', summary: 'How mails are sent: smtp://user:secret@host:587, smtps://… or file:DIR' },
  'mail-from': { kind: 'text', summary: 'The address that mails come from' },
  'public-url': { kind: 'text', summary: 'Where people reach this server: links in mails begin with it' },
};

/** undefined: mail is not configured. */
export function readMail(flags: FlagValues): MailSetup | undefined {
  const setup = readMailFlags({
    mail: flags.text('mail'),
    from: flags.text('mail-from'),
    publicUrl: flags.text('public-url'),
  });
  if (typeof setup === 'string') throw new UsageError(setup);
  return setup;
}

/** The queue to which requests add mails. */
export function openMails(flags: FlagValues, catalog: Catalog): Mails | undefined {
  const setup = readMail(flags);
  return setup && createMails(catalog.coordination);
}

/** The jobs that send mails; none if mail is not configured. */
export function mailJobs(flags: FlagValues, catalog: Catalog, log: Log): Job[] {
  const setup = readMail(flags);
  if (!setup) return [];
  const { publicUrl } = setup;
  setGauge('mailsWaiting', () => countWaiting(catalog));
  let transport: Promise<Transport> | undefined;
  const job: Job = {
    name: 'mail',
    every: 1_000,
    async run(signal) {
      transport ??= setup.open();
      const opened = await transport.catch((error: unknown) => {
        transport = undefined; // the folder may exist next time
        throw error;
      });
      await sendMails({ catalog, transport: opened, publicUrl, log, now: Date.now }, signal);
    },
  };
  return [job];
}
