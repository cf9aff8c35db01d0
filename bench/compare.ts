import { join } from 'node:path';
import { printed, settle, start, temporary } from './children.ts';
import { atLeast, atMost, goals, startGoal, type Verdict } from './goals.ts';
import { type Measured, measure, type Pace, type Target } from './measure.ts';
import type { Options } from './options.ts';
import { startHandwritten } from './peers/handwritten/adapter.ts';
import { knownPeers } from './peers/known.ts';
import { type Line, printLines, writeResults } from './report.ts';
import { type Server, type Work, type WorkName, workNames } from './server.ts';
import { type Bare, startBare } from './servers/bare.ts';
import { type Product, startProduct } from './servers/product.ts';
import { freshNumbers, median } from './wrk.ts';

interface Field {
  readonly bare: Bare;
  readonly product: Product;
  readonly handWritten: Server;
  readonly peers: readonly { readonly server: Server; readonly goal: number }[];
  readonly pace: Pace;
}

/** The product beside the floor, the hand-written server and the peers that were named. */
export async function compare(options: Options): Promise<void> {
  const names = workNames.filter((name) => options.only?.has(name) ?? true);
  const owners = names.some((name) => name.startsWith('user-')) ? (options.quick ? 4 : 20) : 0;
  const field: Field = {
    bare: await startBare(),
    product: await startProduct('product', temporary('product'), options.records, owners),
    handWritten: await startHandwritten(options.records),
    peers: await startPeers(options),
    pace: {
      warmUp: !options.quick,
      rounds: options.rounds,
      seconds: options.seconds,
      directory: temporary('requests'),
    },
  };
  for (const { pid } of [field.product, field.handWritten]) await settle(pid, 120_000);
  const lines: Line[] = [];
  for (const name of names) {
    process.stderr.write(`measuring ${name}\n`);
    lines.push(...(await measureWork(field, name)));
  }
  console.log(
    `\n${options.records.toLocaleString('en')} records, ${options.rounds} rounds of ${options.seconds} s, medians\n`,
  );
  printLines(lines);
  const begin = [await field.product.restart(), await field.product.restart(), await field.product.restart()];
  const started = median(begin);
  const startVerdict = atMost(started, startGoal, 'ms');
  console.log(
    `\nfirst answer ${Math.round(started)} ms after the command: ${startVerdict.text} ${startVerdict.ok ? 'ok' : 'MISS'}`,
  );
  const path = writeResults('compare', { options: { ...options, only: names }, lines, start: begin });
  console.log(`written to ${path}`);
}

async function startPeers({ peers, records }: Options): Promise<Field['peers']> {
  const started: { server: Server; goal: number }[] = [];
  for (const [name, place] of peers) {
    const adapter = knownPeers.get(name);
    if (!adapter) throw new Error(`--peer ${name}: there is no adapter for it in bench/peers`);
    started.push({ server: await adapter.setUp({ place, records }), goal: adapter.goal });
  }
  return started;
}

async function measureWork(field: Field, name: WorkName): Promise<Line[]> {
  if (name === 'user-view' || name === 'user-list') return measureTwins(field, name);
  if (name === 'busy') return measureBusy(field);
  const { bare, product, handWritten, peers, pace } = field;
  const work = await product.work(name);
  if (!work) return [];
  await copyAnswer(bare, product, work);
  const targets: Target[] = [
    { label: 'bare', server: bare, work, warm: true },
    { label: 'product', server: product, work },
  ];
  for (const server of [handWritten, ...peers.map((peer) => peer.server)]) {
    const own = await server.work(name);
    if (own) targets.push({ label: server.name, server, work: own });
  }
  const measured = await measure(targets, pace);
  const of = (label: string) => measured.find((one) => one.label === label)?.perSecond;
  const mine = of('product') ?? 0;
  const floor = of('bare') ?? 0;
  const yardstick = of(handWritten.name);
  const goal = goals[name] ?? {};
  return measured.map((one): Line => {
    const line = { work: name, measured: one, ofBare: one.perSecond / floor };
    if (one.label === 'product') {
      const times = yardstick ? mine / yardstick : undefined;
      const verdicts = [
        ...(goal.bare === undefined ? [] : [atLeast(mine / floor, goal.bare, 'bare')]),
        ...(goal.handWritten === undefined || times === undefined
          ? []
          : [atLeast(times, goal.handWritten, 'hand')]),
      ];
      return { ...line, ofHandWritten: times, verdicts };
    }
    const peer = peers.find(({ server }) => server.name === one.label);
    const verdicts: Verdict[] = peer ? [atLeast(mine / one.perSecond, peer.goal, 'times ahead')] : [];
    return { ...line, verdicts };
  });
}

/** The floor answers what the product answers, byte for byte. */
async function copyAnswer(bare: Bare, product: Product, { reads, write, every }: Work): Promise<void> {
  if (write && every === undefined) {
    const body = write.body.replace('XXXXXXXXXX', String(freshNumbers()).padStart(10, '0'));
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${product.base}${write.paths[0]}`, { method: write.method, headers, body });
    return bare.answer(response.status, await response.text());
  }
  const response = await fetch(`${product.base}${reads[0]}`);
  return bare.answer(response.status, await response.text());
}

async function measureTwins({ product, pace }: Field, name: 'user-view' | 'user-list'): Promise<Line[]> {
  const { user, open } = await product.twins(name);
  const measured = await measure(
    [
      { label: 'public twin', server: product, work: open },
      { label: 'with token', server: product, work: user },
    ],
    pace,
  );
  const of = (label: string) => measured.find((one) => one.label === label)?.perSecond ?? 0;
  const ratio = of('with token') / of('public twin');
  return measured.map((one) => {
    const mine = one.label === 'with token';
    return {
      work: name,
      measured: one,
      verdicts: mine ? [atLeast(ratio, goals[name]?.open ?? 0, 'public')] : [],
      note: mine ? `${ratio.toFixed(2)} of public` : undefined,
    };
  });
}

const creationsPerSecond = 2_000;

/** View alone, and View while creations come at an even pace. */
async function measureBusy({ product, pace }: Field): Promise<Line[]> {
  const [view, create] = [await product.work('view'), await product.work('create')];
  if (!view || !create?.write) return [];
  const { paths, body } = create.write;
  const rates: number[] = [];
  const beside = async (seconds: number) => {
    const words = [
      new URL(product.base).port,
      paths[0] ?? '',
      freshNumbers(),
      creationsPerSecond,
      seconds + 1,
    ];
    const child = start(process.execPath, [join(import.meta.dir, 'paced.ts'), ...words.map(String)], {
      PACED_BODY: body,
    });
    await Bun.sleep(500);
    return async () => {
      const result = JSON.parse(await printed(child, /^PACED (.+)$/m)) as { perSecond: number };
      rates.push(result.perSecond);
    };
  };
  const measured = await measure(
    [
      { label: 'alone', server: product, work: view },
      { label: 'beside creates', server: product, work: view, beside },
    ],
    pace,
  );
  const of = (label: string): Measured | undefined => measured.find((one) => one.label === label);
  const ratio = (of('beside creates')?.p99 ?? 0) / (of('alone')?.p99 ?? 1);
  return measured.map((one) => {
    const busy = one.label === 'beside creates';
    return {
      work: 'busy (View)',
      measured: one,
      verdicts: busy ? [atMost(ratio, goals.busy?.p99 ?? 0, 'p99 alone')] : [],
      note: busy
        ? `${ratio.toFixed(2)} times the p99, beside ${Math.round(median(rates))} creates/s`
        : undefined,
    };
  });
}
