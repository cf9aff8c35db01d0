import { v7 as uuidv7 } from 'uuid';
import { Failure } from '../failure.ts';
import type { MailLimit, NewMail } from '../store/account-mails.ts';
import type { Accounts } from '../store/accounts.ts';
import { type Coordination, waitingWork } from '../store/coordination.ts';

const { mail: mailWork } = waitingWork;

/** Queues mails, which are sent by a background job. */
export interface Mails {
  /** Queues mails; a 429 if there were too many recently. */
  queue(asked: QueuedMails): Promise<void>;
  /** `write` queues mails in another way; this notes that there is work before it does. */
  announce<T>(project: string, write: () => Promise<T>): Promise<T>;
}

export interface QueuedMails {
  readonly project: string;
  readonly accounts: Accounts;
  readonly mails: readonly Omit<NewMail, 'id'>[];
  readonly limits: readonly MailLimit[];
  readonly now: number;
}

export function createMails(coordination: Coordination): Mails {
  const announce: Mails['announce'] = (project, write) => coordination.announceWork(mailWork, project, write);
  return {
    announce,
    async queue({ project, accounts, mails, limits, now }) {
      const named = mails.map((mail) => ({ id: uuidv7({ msecs: now }), ...mail }));
      // Checked first, so that nothing is written for those who ask too often, not even the announcement.
      const already = await accounts.findMailWait(limits, now);
      if (already) throw tooManyMails(already);
      const wait = await announce(project, () => accounts.queueMails(named, limits, now));
      if (wait) throw tooManyMails(wait);
    },
  };
}

export function tooManyMails(wait: number): Failure {
  const retryAfter = Math.ceil(wait / 1000);
  const minutes = Math.ceil(retryAfter / 60);
  return new Failure(
    'tooMany',
    `Too many mails were asked for: try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}`,
    { retryAfter },
  );
}
