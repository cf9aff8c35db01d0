import type { ColumnValue } from '../../../model/field.ts';
import type { Provider } from '../../../model/provider-settings.ts';
import { fold } from '../../../model/search.ts';
import type { Identities, Identity, NewUser } from '../../identities.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { raw, sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';
import { paged } from './paged.ts';

const columns = raw('id, account, provider, issuer, subject, email, created');

export function identityCalls({ read, write }: AccountsAccess): Identities {
  return {
    async findIdentity(issuer, subject) {
      const row = await read((db) =>
        db.row(
          sql`SELECT account FROM ${tables.identities} WHERE issuer = ${issuer} AND subject = ${subject}`,
        ),
      );
      return row && String(row[0]);
    },
    listIdentities: (user, page) =>
      read((db) =>
        paged(
          db,
          columns.text,
          sql`${tables.identities} WHERE account = ${user}`,
          page,
          ['id'],
          readIdentity,
        ),
      ),
    addIdentity: (identity, how) =>
      write(async ({ db }) => {
        const there = 'user' in how ? await makeUser(db, how.user) : await holds(db, identity, how.verified);
        if (!there) return false;
        if (await insert(db, identity)) return true;
        // Nobody could sign in to that account.
        if ('user' in how) await db.run(sql`DELETE FROM ${tables.users} WHERE id = ${how.user.id}`);
        return false;
      }),
    removeIdentity: (user, id, providers) =>
      write(async ({ db }) => {
        const account = await db.row(
          sql`SELECT password FROM ${tables.users} WHERE id = ${user}${db.dialect.forUpdate}`,
        );
        const found = await db.rows(sql`SELECT ${columns} FROM ${tables.identities} WHERE account = ${user}`);
        const all = found.map(readIdentity);
        if (!account || !all.some((one) => one.id === id)) return 'absent';
        const isOtherWay = (one: Identity) => one.id !== id && providers.some((each) => isAt(one, each));
        if (account[0] === '' && !all.some(isOtherWay)) return 'last';
        await db.run(sql`DELETE FROM ${tables.identities} WHERE id = ${id} AND account = ${user}`);
        return 'removed';
      }),
  };
}

/** The provider may have been renamed, and some providers have many issuers. */
function isAt({ provider, issuer }: Identity, { id, issuer: own }: Pick<Provider, 'id' | 'issuer'>): boolean {
  return provider === id || URL.parse(issuer)?.href === URL.parse(own)?.href;
}

/** Locked, so that an identity is not linked while the address is being changed. */
async function holds(db: Connection, { user, email }: Identity, verified: boolean): Promise<boolean> {
  const row = await db.row(
    sql`SELECT disabled, email, verified FROM ${tables.users} WHERE id = ${user}${db.dialect.forUpdate}`,
  );
  if (row?.[0] !== 0) return false;
  return !verified || (row[1] === email && row[2] === 1);
}

/** Creates a user without a password. If two are created at the same moment, the unique address decides. */
async function makeUser(db: Connection, user: NewUser): Promise<boolean> {
  const { id, email, name, verified, profile, created, updated } = user;
  const made = await db.run(sql`
    INSERT INTO ${tables.users} (id, email, name, password, disabled, created, updated, verified, profile, folded_name)
    VALUES (
      ${id}, ${email}, ${name}, '', 0, ${created}, ${updated}, ${Number(verified)}, ${JSON.stringify(profile)}, ${fold(name)}
    )
    ON CONFLICT (email) DO NOTHING`);
  return made > 0;
}

async function insert(db: Connection, identity: Identity): Promise<boolean> {
  const { id, user, provider, issuer, subject, email, created } = identity;
  const made = await db.run(sql`
    INSERT INTO ${tables.identities} (id, account, provider, issuer, subject, email, created)
    VALUES (${id}, ${user}, ${provider}, ${issuer}, ${subject}, ${email}, ${created})
    ON CONFLICT (issuer, subject) DO NOTHING`);
  return made > 0;
}

function readIdentity(row: readonly ColumnValue[]): Identity {
  const [id, user, provider, issuer, subject, email, created] = row;
  return {
    ...{ id: String(id), user: String(user), provider: String(provider), issuer: String(issuer) },
    ...{ subject: String(subject), email: String(email), created: Number(created) },
  };
}
