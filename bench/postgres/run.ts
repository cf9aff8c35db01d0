import postgres from 'postgres';
import { asSuperuser, freshDatabase, startPostgres } from '../../test/postgres-server.ts';
import { temporary } from '../children.ts';
import { atLeast, postgresGoals } from '../goals.ts';
import { connectionsOf, type Measured, measure, type Target } from '../measure.ts';
import { type Options, paceOf } from '../options.ts';
import { settle } from '../processes.ts';
import { type Line, printFindings, printSummary, writeResults } from '../report.ts';
import type { Work } from '../server.ts';
import { type Node, type Product, startProduct } from '../servers/product.ts';
import { load, type Round } from '../wrk.ts';
import { insertionOf } from './insertion.ts';
import { type Loop, startLoop } from './loop.ts';
import { statementsOf } from './statements.ts';

type Name = keyof typeof postgresGoals;

/** That the driver repeats: as many different ones as are enough for PostgreSQL not to have them at hand. */
const mostStatements = 2_000;

/** As many connections as the product has unless it is told otherwise. */
const pool = 10;

/** The product on PostgreSQL beside the driver by itself, and two nodes of it beside one. */
export async function comparePostgres(options: Options): Promise<void> {
  const server = options.postgres === '' ? await startPostgres({ durable: true }) : undefined;
  const database = await freshDatabase(server?.url ?? options.postgres);
  try {
    const lines = await measureAll(database.url, options);
    const { records, rounds, seconds } = options;
    console.log(
      `\nPostgreSQL, ${records.toLocaleString('en')} records, ${rounds} rounds of ${seconds} s, medians\n`,
    );
    printFindings({ lines, facts: [] });
    printSummary({ lines, facts: [] });
    console.log(`written to ${writeResults('postgres', { options: { ...options, postgres: true }, lines })}`);
  } finally {
    await database.drop().catch(() => {}); // the processes that use it may have to be ended first
    await server?.remove();
  }
}

async function measureAll(url: string, options: Options): Promise<Line[]> {
  const pace = paceOf(options);
  const storage = ['--database', url, '--pool', String(pool)];
  const product = await startProduct({ name: 'product', storage, records: options.records });
  await asSuperuser(url, 'VACUUM (ANALYZE)');
  await settle(product.pid, 60_000);
  const loop = await startLoop(url, pool);
  const node = await product.another();
  const lines: Line[] = [];
  for (const name of ['view', 'list', 'list-new', 'create'] as const) {
    if (!(options.only?.has(name) ?? true)) continue;
    process.stderr.write(`measuring ${name}\n`);
    const work = await product.work(name);
    if (!work) continue;
    await loop.take(
      work.write
        ? [await insertionOf(url, product.base, work.write)]
        : await statementsOf(url, work.reads.slice(0, mostStatements)),
    );
    const settled = () => untilIndexed(url, pace.rest);
    lines.push(...judge(name, await measure(targetsOf(name, { product, node, loop, work, settled }), pace)));
  }
  await Promise.all([product.stop(), node.stop()]);
  return lines;
}

interface Field {
  readonly product: Product;
  readonly node: Node;
  readonly loop: Loop;
  readonly work: Work;
  readonly settled: () => Promise<void>;
}

function targetsOf(name: Name, { product, node, loop, work, settled }: Field): Target[] {
  const connections = connectionsOf(work);
  const driver = { base: '', pid: loop.pid };
  return [
    { label: 'bare driver', server: driver, work, run: (seconds) => loop.run(connections, seconds) },
    { label: 'product', server: product, work, settled },
    ...(name.startsWith('list')
      ? []
      : [
          {
            label: 'product, 2 nodes',
            ...{ server: product, work, settled, fresh: true },
            run: (seconds: number) => loadBoth([product, node], work, { connections, seconds }),
          },
        ]),
  ];
}

/** Texts that wait to be indexed for search are worked in a second after the last write: no other is to pay for it. */
async function untilIndexed(url: string, patience: number): Promise<void> {
  const db = postgres(url, { max: 1, onnotice: () => {} });
  const end = Date.now() + patience;
  try {
    const [place] = await db`SELECT seq FROM vitrine.projects WHERE id = 'bench'`;
    const schema = `vitrine_p${place?.seq}`;
    const [found] = await db.unsafe(`SELECT key FROM ${schema}.collections WHERE id = 'products'`);
    const waiting = `SELECT 1 FROM ${schema}.p${found?.key} LIMIT 1`;
    while ((await db.unsafe(waiting)).length > 0 && Date.now() < end) await Bun.sleep(100);
  } finally {
    await db.end({ timeout: 5 });
  }
}

/** Half of the connections to each, as a round-robin in front of them would. */
async function loadBoth(
  nodes: readonly Pick<Node, 'base'>[],
  work: Work,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Round> {
  const rounds = await Promise.all(
    nodes.map((node) =>
      load(node, work, {
        ...{ connections: connections / nodes.length, seconds },
        directory: temporary('requests'),
      }),
    ),
  );
  const most = (of: (round: Round) => number) => Math.max(...rounds.map(of));
  const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0);
  return {
    perSecond: sum(({ perSecond }) => perSecond),
    p50: most(({ p50 }) => p50),
    p99: most(({ p99 }) => p99),
    bytes: most(({ bytes }) => bytes),
    errors: sum(({ errors }) => errors),
  };
}

function judge(name: Name, measured: readonly Measured[]): Line[] {
  const [floor, one] = measured;
  return measured.map((measure, index) => {
    const ratio = measure.perSecond / (floor?.perSecond ?? 1);
    const times = measure.perSecond / (one?.perSecond ?? 1);
    return {
      ...{ work: `postgres ${name}`, measured: measure, ofBare: ratio },
      verdicts: index === 1 ? [atLeast(ratio, postgresGoals[name], 'bare driver')] : [],
      note: index === 2 ? `${times.toFixed(2)} times one node` : undefined,
    };
  });
}
