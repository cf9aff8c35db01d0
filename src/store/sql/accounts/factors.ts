import type { FactorProof, Factors } from '../../factors.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { type Sql, sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';
import { endSome } from './end-sessions.ts';
import { isUser } from './members.ts';

export interface FactorTables {
  readonly factors: Sql;
  readonly codes: Sql;
}

export const userFactors: FactorTables = { factors: tables.factors, codes: tables.recovery_codes };
export const administratorFactors: FactorTables = {
  factors: tables.administrator_factors,
  codes: tables.administrator_recovery_codes,
};

const mostFailures = 5;
const window = 5 * 60_000;

export function factorCalls({ read, write }: AccountsAccess, which: FactorTables): Factors {
  const { factors, codes } = which;
  return {
    async hasFactor(account) {
      const row = await read((db) =>
        db.row(sql`SELECT 1 FROM ${factors} WHERE account = ${account} AND confirmed = 1`),
      );
      return row !== undefined;
    },
    beginFactor: (account, secret) =>
      write(async ({ db }) => {
        const found = await lockFactor(db, factors, account);
        if (found?.confirmed) return false;
        if (found) {
          await db.run(sql`UPDATE ${factors} SET secret = ${secret} WHERE account = ${account}`);
          return true;
        }
        // If two begin at the same moment the first one's secret counts, and the other has to begin again.
        const made = await db.run(sql`
          INSERT INTO ${factors} (account, secret, confirmed, step, failures) VALUES (${account}, ${secret}, 0, 0, '[]')
          ON CONFLICT (account) DO NOTHING`);
        return made > 0;
      }),
    beginTry: (account, now) =>
      write(async ({ db }) => {
        const found = await lockFactor(db, factors, account);
        if (!found) return undefined;
        // Times in the future were recorded with a wrong clock, perhaps the very reason why the attempts failed.
        const recent = found.failures.filter((at) => Math.abs(now - at) < window);
        const [oldest = 0] = recent;
        if (recent.length >= mostFailures) return { retryAfter: oldest + window - now };
        await saveFailures(db, factors, account, [...recent, now]);
        return { secret: found.secret, confirmed: found.confirmed };
      }),
    settleTry: (account, now, proof) => write(({ db }) => settle(db, which, account, now, proof)),
    confirmFactor: (account, now, { secret, step }, codeDigests, onlySession) =>
      write(async ({ db }) => {
        if (onlySession !== undefined) await isUser(db, account);
        const found = await lockFactor(db, factors, account);
        if (found?.secret !== secret || found.confirmed) return false;
        await db.run(sql`UPDATE ${factors} SET confirmed = 1, step = ${step} WHERE account = ${account}`);
        await forgive(db, factors, account, found.failures, now);
        for (const code of codeDigests) {
          await db.run(sql`INSERT INTO ${codes} (digest, account) VALUES (${code}, ${account})`);
        }
        if (onlySession !== undefined) await endSome(db, account, sql`id <> ${onlySession}`);
        return true;
      }),
    removeFactor: (account) => write(({ db }) => removeFactor(db, which, account)),
  };
}

interface Locked {
  readonly secret: string;
  readonly confirmed: boolean;
  readonly step: number;
  /** Times of the failures, oldest first. */
  readonly failures: readonly number[];
}

async function lockFactor(db: Connection, factors: Sql, account: string): Promise<Locked | undefined> {
  const row = await db.row(sql`
    SELECT secret, confirmed, step, failures FROM ${factors} WHERE account = ${account}${db.dialect.forUpdate}`);
  if (!row) return undefined;
  const [secret, confirmed, step, failures] = row;
  return {
    ...{ secret: String(secret), confirmed: confirmed === 1, step: Number(step) },
    failures: JSON.parse(String(failures)) as number[],
  };
}

/** Runs in the same transaction that spends the code. */
async function settle(
  db: Connection,
  { factors, codes }: FactorTables,
  account: string,
  now: number,
  proof: FactorProof,
): Promise<boolean> {
  const found = await lockFactor(db, factors, account);
  if (!found?.confirmed) return false;
  if ('step' in proof) {
    if (proof.step <= found.step) return false;
    await db.run(sql`UPDATE ${factors} SET step = ${proof.step} WHERE account = ${account}`);
  } else {
    const spent = await db.run(
      sql`DELETE FROM ${codes} WHERE digest = ${proof.recovery} AND account = ${account}`,
    );
    if (spent === 0) return false;
  }
  await forgive(db, factors, account, found.failures, now);
  return true;
}

/** The attempt counted at `now` did not fail after all. */
async function forgive(
  db: Connection,
  factors: Sql,
  account: string,
  failures: readonly number[],
  now: number,
): Promise<void> {
  const at = failures.indexOf(now);
  await saveFailures(db, factors, account, at < 0 ? failures : failures.toSpliced(at, 1));
}

async function saveFailures(
  db: Connection,
  factors: Sql,
  account: string,
  failures: readonly number[],
): Promise<void> {
  await db.run(sql`UPDATE ${factors} SET failures = ${JSON.stringify(failures)} WHERE account = ${account}`);
}

export async function removeFactor(
  db: Connection,
  { factors, codes }: FactorTables,
  account: string,
): Promise<boolean> {
  await db.run(sql`DELETE FROM ${codes} WHERE account = ${account}`);
  return (await db.run(sql`DELETE FROM ${factors} WHERE account = ${account}`)) > 0;
}
