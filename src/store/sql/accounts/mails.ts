import type { ColumnValue } from '../../../model/field.ts';
import type { AccountMails, Mail, MailKind, NewMail } from '../../account-mails.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { raw, type Sql, sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';
import { findWait, spendLimits } from './mail-limits.ts';

type MailCalls = Pick<
  AccountMails,
  | 'queueMails'
  | 'findMailWait'
  | 'listDueMails'
  | 'countMails'
  | 'tryMail'
  | 'hasMail'
  | 'removeMail'
  | 'addMailToken'
>;

/** No mail is deferred longer than this, in milliseconds: one that is due later was written with a wrong clock. */
const longestWait = 3 * 60 * 60_000;

const columns = raw('id, kind, email, subject, created, tries');

export function mailCalls({ read, write }: AccountsAccess): MailCalls {
  return {
    queueMails: (mails, limits, now) =>
      write(async ({ db }) => {
        const wait = await spendLimits(db, limits, now);
        if (wait !== undefined) return wait;
        for (const mail of mails) await addMail(db, mail, now);
        return undefined;
      }),
    findMailWait: (limits, now) => read((db) => findWait(db, limits, now)),
    listDueMails: async (now, most) => {
      // Two statements, each along the index: a single one would sort everything that is due, and so would an order that goes on
      // by the id, as all new mails are due at the same time. With 100,000 of them that took 46 ms.
      const find = (when: Sql, limit: number) =>
        read((db) =>
          db.rows(sql`SELECT ${columns} FROM ${tables.outbox} WHERE ${when} ORDER BY due LIMIT ${limit}`),
        );
      const rows = await find(sql`due <= ${now}`, most);
      const left = most - rows.length;
      const wrong = left > 0 ? await find(sql`due > ${now + longestWait}`, left) : [];
      return [...rows, ...wrong].map(readMail);
    },
    async countMails() {
      const row = await read((db) => db.row(sql`SELECT count(*) FROM ${tables.outbox}`));
      return Number(row?.[0]);
    },
    tryMail: (id, tries, again) =>
      write(async ({ db }) => {
        const tried = await db.run(sql`
          UPDATE ${tables.outbox} SET due = ${again}, tries = ${tries + 1} WHERE id = ${id} AND tries = ${tries}`);
        return tried > 0;
      }),
    hasMail: async (id) =>
      (await read((db) => db.row(sql`SELECT 1 FROM ${tables.outbox} WHERE id = ${id}`))) !== undefined,
    removeMail: (id) =>
      write(async ({ db }) => {
        await db.run(sql`DELETE FROM ${tables.outbox} WHERE id = ${id}`);
      }),
    addMailToken: ({ digest, purpose, user, address, target, password, expires }, now) =>
      write(async ({ db }) => {
        await db.run(sql`DELETE FROM ${tables.mail_tokens} WHERE expires <= ${now}`);
        await db.run(sql`
          INSERT INTO ${tables.mail_tokens} (digest, purpose, "user", address, target, password, expires)
          VALUES (${digest}, ${purpose}, ${user}, ${address}, ${target}, ${password}, ${expires})`);
      }),
  };
}

/** A new mail is due at 0, before any time: the clock of the node that sends it may be behind. */
export async function addMail(
  db: Connection,
  { id, kind, email, subject }: NewMail,
  now: number,
): Promise<void> {
  await db.run(sql`
    INSERT INTO ${tables.outbox} (id, kind, email, subject, created, due, tries)
    VALUES (${id}, ${kind}, ${email}, ${subject}, ${now}, 0, 0)`);
}

/**
 * A new password or address permanently invalidates the tokens mailed before, and a pending mail about a change of address:
 * whoever knew the old password may have asked for it.
 */
export async function dropProofs(db: Connection, user: string): Promise<void> {
  await db.run(sql`DELETE FROM ${tables.mail_tokens} WHERE "user" = ${user}`);
  await db.run(sql`DELETE FROM ${tables.outbox} WHERE kind = 'email' AND subject = ${user}`);
}

function readMail([id, kind, email, subject = null, created, tries]: readonly ColumnValue[]): Mail {
  return {
    id: String(id),
    kind: kind as MailKind,
    email: String(email),
    subject: subject === null ? null : String(subject),
    created: Number(created),
    tries: Number(tries),
  };
}
