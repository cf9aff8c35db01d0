import postgres from 'postgres';
import { ipv6Hosts } from '../../store/engines/postgres/connection/ipv6-hosts.ts';
import { format } from '../../store/engines/postgres/tables/upgrades.ts';
import { databaseName } from '../engine/database.ts';
import { reasonOf } from '../engine/reasons.ts';
import { type Finding, fault, inBytes, ok, warning } from './finding.ts';
import { checkClock } from './system.ts';

const oldestServer = 15;

/** Checks a PostgreSQL database, without creating or upgrading anything in it. */
export async function checkDatabase(address: string): Promise<Finding[]> {
  const db = postgres(address, { ...ipv6Hosts(address), max: 1, connect_timeout: 5, onnotice() {} });
  try {
    return await look(db);
  } catch (error) {
    const name = databaseName(address);
    return [fault('database', `${name} can't be used: ${innermost(error)}`, adviceOn(error))];
  } finally {
    await db.end({ timeout: 2 });
  }
}

const moreConnections = 'raise max_connections, or lower --pool of the nodes';

/** 53300: too many connections. */
const adviceOn = (error: unknown) =>
  error instanceof postgres.PostgresError && error.code === '53300'
    ? moreConnections
    : 'is it running, may this machine connect (pg_hba.conf), and are user and password right?';

function innermost(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return innermost(error.errors[0]);
  return reasonOf(error);
}

async function look(db: postgres.Sql): Promise<Finding[]> {
  const [facts] = await db`
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
      current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commits,
      current_setting('max_connections')::int AS most, (SELECT count(*)::int FROM pg_stat_activity) AS used,
      has_database_privilege(current_database(), 'CREATE') AS may_create, pg_is_in_recovery() AS standby,
      current_setting('default_transaction_read_only') AS read_only,
      pg_database_size(current_database())::float8 AS bytes,
      EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm') AS trigrams,
      extract(epoch FROM clock_timestamp())::float8 * 1000 AS clock,
      to_regclass('vitrine.format') IS NOT NULL AS made`;
  const known = (facts ?? {}) as Record<string, never>;
  const major = Math.floor(Number(known.version) / 10_000);
  const findings = [
    major < oldestServer
      ? fault('database', `PostgreSQL ${major}`, `upgrade it: ${oldestServer} or newer is needed`)
      : ok('database', `PostgreSQL ${major}, ${inBytes(Number(known.bytes))}`),
    checkClock(Date.now(), known.made ? await newestTime(db) : undefined, Number(known.clock)),
    ...settings(known),
  ];
  return known.made ? [...findings, await checkFormat(db)] : findings;
}

/** The latest time in the data: new records never get an earlier time than the last one. */
async function newestTime(db: postgres.Sql): Promise<number> {
  let newest = 0;
  for (const { seq } of await db`SELECT seq::text AS seq FROM vitrine.projects`) {
    // The project may have been deleted meanwhile.
    const [row] = await db`SELECT max(created)::float8 AS at FROM ${db(`vitrine_p${seq}`)}.counters`.catch(
      () => [],
    );
    newest = Math.max(newest, Number(row?.at ?? 0));
  }
  return newest;
}

function settings(known: Readonly<Record<string, unknown>>): Finding[] {
  const { encoding, fsync, commits, most, used, may_create, standby, read_only, trigrams, made } = known;
  const findings: Finding[] = [];
  if (encoding !== 'UTF8')
    findings.push(fault('database', `its encoding is ${encoding}`, 'make a database with the encoding UTF8'));
  if (standby)
    findings.push(fault('database', 'it is a standby', 'name the primary too: postgres://…@db1,db2/name'));
  if (read_only === 'on')
    findings.push(
      fault(
        'database',
        'default_transaction_read_only is on, so that nothing can be written',
        'find out who has set it and why: some do where the disk is nearly full; then set it to off',
      ),
    );
  if (fsync === 'off')
    findings.push(
      fault('durability', 'fsync is off', 'set fsync = on: a power cut loses data and may break all of it'),
    );
  if (commits === 'off')
    findings.push(
      warning(
        'durability',
        'synchronous_commit is off',
        'set it to on: what got a 2xx may be lost otherwise',
      ),
    );
  if (Number(used) > Number(most) * 0.8)
    findings.push(warning('connections', `${used} of ${most} are in use`, moreConnections));
  if (!may_create)
    findings.push(
      fault(
        'rights',
        'the user may not make schemas',
        'GRANT CREATE ON DATABASE … TO the user in the address',
      ),
    );
  if (!trigrams)
    findings.push(
      warning(
        'search',
        'the extension pg_trgm is not there',
        'CREATE EXTENSION pg_trgm: search is slow without it',
      ),
    );
  if (!made) findings.push(ok('format', 'nothing of Vitrine is in it yet'));
  return findings;
}

async function checkFormat(db: postgres.Sql): Promise<Finding> {
  const [row] = await db`SELECT number::int AS number FROM vitrine.format`;
  const found = Number(row?.number);
  if (found > format)
    return fault(
      'format',
      `the data has format ${found}, made by a newer Vitrine, and this one reads up to ${format}`,
      'upgrade Vitrine',
    );
  if (found < format)
    return ok('format', `${found}; it becomes ${format} when the first node of this version starts`);
  return ok('format', `${found}`);
}
