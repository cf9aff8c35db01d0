import type { Catalog } from '../catalog/catalog.ts';
import { Failure } from '../failure.ts';
import { throwWorst } from '../jobs/jobs.ts';
import type { Log } from '../log.ts';
import { countMail } from '../metrics/counted.ts';
import type { Mail } from '../store/account-mails.ts';
import { type NotedWork, waitingWork } from '../store/coordination.ts';
import { compose } from './compose.ts';
import type { Transport } from './transport.ts';

export interface Sender {
  readonly catalog: Catalog;
  readonly transport: Transport;
  readonly publicUrl: string;
  readonly log: Log;
  readonly now: () => number;
}

const { mail: mailWork } = waitingWork;
const day = 24 * 60 * 60_000;
const firstPause = 10_000;
const longestPause = 2 * 60 * 60_000;
/** Most mails of one project in one run. */
const mostOfProject = 50;
/** Mails that are sent concurrently. */
const atOnce = 4;

/** Sends the due mails of all projects. One that can't be opened does not stop the others; its error is thrown at the end. */
export async function sendMails(sender: Sender, signal: AbortSignal): Promise<void> {
  const due: { readonly project: string; readonly mail: Mail }[] = [];
  const failures: unknown[] = [];
  for (const noted of await sender.catalog.coordination.listWork(mailWork)) {
    if (signal.aborted) return;
    try {
      const mails = await findDue(sender, noted);
      due.push(...mails.map((mail) => ({ project: noted.project, mail })));
    } catch (error) {
      failures.push(error);
    }
  }
  const lane = async () => {
    for (let next = due.shift(); next && !signal.aborted; next = due.shift()) {
      await sendOne(sender, next.project, next.mail);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  throwWorst(failures);
}

/** How many mails wait in all projects, including those that are due later. */
export async function countWaiting(catalog: Catalog): Promise<number> {
  let waiting = 0;
  for (const { project } of await catalog.coordination.listWork(mailWork)) {
    // 0: it was deleted, or the job reports why it can't be opened.
    waiting += await catalog.useAccounts(project, ({ store }) => store.accounts.countMails()).catch(() => 0);
  }
  return waiting;
}

async function findDue({ catalog, now }: Sender, noted: NotedWork): Promise<readonly Mail[]> {
  const { coordination } = catalog;
  try {
    return await catalog.useAccounts(noted.project, async ({ store: { accounts } }) => {
      const due = await accounts.listDueMails(now(), mostOfProject);
      if (due.length === 0 && (await accounts.countMails()) === 0) await coordination.endWork(noted);
      return due;
    });
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'absent') throw error;
    await coordination.endWork(noted); // the project is deleted, and its mails with it
    return [];
  }
}

/** Sets the time of the next try before sending, so that the mail is retried even if this process ends meanwhile. */
async function sendOne(sender: Sender, project: string, mail: Mail): Promise<void> {
  const { catalog, transport, publicUrl, log, now } = sender;
  const work = <T>(step: Parameters<typeof catalog.useAccounts<T>>[1]) => catalog.useAccounts(project, step);
  const remove = () => work(({ store }) => store.accounts.removeMail(mail.id));
  const name = `the mail ${mail.id} (${mail.kind}) of project ${project}`;
  try {
    if (now() - mail.created >= day) {
      await remove();
      log.info(`${name} could not be sent for a day and is given up`);
      return;
    }
    const again = now() + pauseAfter(mail.tries);
    const mine = await work(({ store }) => store.accounts.tryMail(mail.id, mail.tries, again));
    if (!mine) return; // another node is sending it, or has sent it
    const message = await work(async ({ store: { accounts } }) => {
      const options = { project: await catalog.requireProject(project), accounts, publicUrl, now: now() };
      const written = await compose(mail, options);
      return written && { ...written, senderName: options.project.auth.mail.senderName ?? '' };
    });
    if (message) {
      await transport.send({ id: mail.id, to: mail.email, ...message }).catch((error: unknown) => {
        throw new NotSent(error);
      });
      countMail('done');
    }
    await remove();
  } catch (error) {
    if (error instanceof Failure && error.kind === 'absent') return; // the project was deleted meanwhile
    countMail('failed');
    const failed = `${name} could not be sent and is tried again`;
    if (error instanceof NotSent) log.info(`${failed}: ${reasonOf(error.cause)}`);
    else if (error instanceof Failure) log.info(`${failed}: ${error.message}`);
    else log.error(failed, error);
  }
}

/** The transport failed, as opposed to the writing of the mail. */
class NotSent extends Error {
  constructor(cause: unknown) {
    super('the mail was not sent', { cause });
  }
}

export function pauseAfter(tries: number): number {
  return Math.min(firstPause * 3 ** tries, longestPause);
}

/** Not the server's message, which may contain the address, or the whole mail. */
function reasonOf(error: unknown): string {
  const { code, responseCode } = error as { readonly code?: unknown; readonly responseCode?: unknown };
  const known = [code, responseCode].filter((part) => part !== undefined);
  if (known.length > 0) return known.join(' ');
  return error instanceof Error ? error.name : 'no reason is known';
}
