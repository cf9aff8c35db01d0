import { parseArgs } from 'node:util';
import { temporary } from './children.ts';
import type { Pace } from './measure.ts';

export interface Options {
  readonly quick: boolean;
  /** Draws each workload, to be kept with the code. */
  readonly graphs: boolean;
  readonly growth: boolean;
  /** A PostgreSQL address; '' for a server that the bench starts; undefined: SQLite. */
  readonly postgres: string | undefined;
  readonly only: ReadonlySet<string> | undefined;
  /** Name to binary or address. */
  readonly peers: ReadonlyMap<string, string>;
  readonly records: number;
  readonly rounds: number;
  /** Seconds, of one round and of the warm-up before the first. */
  readonly seconds: number;
}

export class UsageError extends Error {}

export const usage = `npm run bench -- [--quick] [--growth | --postgres [--database URL]] [--only view,list]
  [--peer NAME=BINARY_OR_URL] [--records N] [--rounds N] [--seconds N] [--graphs]`;

export function readOptions(words: readonly string[]): Options {
  const { values } = parse(words);
  const quick = values.quick ?? false;
  return {
    quick,
    graphs: values.graphs ?? false,
    growth: values.growth ?? false,
    postgres: values.database ?? (values.postgres ? '' : undefined),
    only: values.only === undefined ? undefined : new Set(values.only.split(',')),
    peers: new Map((values.peer ?? []).map(readPeer)),
    records: readNumber('records', values.records, quick ? 10_000 : 100_000),
    rounds: readNumber('rounds', values.rounds, quick ? 2 : 5),
    seconds: readNumber('seconds', values.seconds, quick ? 1 : 2),
  };
}

export function paceOf({ quick, rounds, seconds }: Options): Pace {
  return { warmUp: !quick, rounds, seconds, rest: quick ? 5_000 : 20_000, directory: temporary('requests') };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        quick: { type: 'boolean' },
        graphs: { type: 'boolean' },
        growth: { type: 'boolean' },
        postgres: { type: 'boolean' },
        database: { type: 'string' },
        only: { type: 'string' },
        peer: { type: 'string', multiple: true },
        records: { type: 'string' },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function readPeer(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new UsageError(`--peer: write NAME=PATH_TO_BINARY or NAME=URL, not '${text}'`);
}

function readNumber(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new UsageError(`--${name}: must be a whole number above 0`);
}
