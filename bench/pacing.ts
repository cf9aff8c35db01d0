import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { printed, start, temporary } from './children.ts';
import type { Server, Work } from './server.ts';
import { freshNumbers } from './wrk.ts';

/** What bench/paced.ts is told. */
export interface Paced {
  readonly port: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly connections: number;
  /** A file of paths. */
  readonly reads?: string;
  readonly write?: { readonly path: string; readonly body: string; readonly first: number };
}

export interface PacedResult {
  readonly perSecond: number;
  readonly failed: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

export interface Pacing {
  /** At its end. */
  result(): Promise<PacedResult>;
  /** Ends it before. */
  end(): Promise<PacedResult>;
}

const connections = 64;

/** Begins to send the requests of a workload, either all writes or all reads, at an even pace. */
export function startPaced(
  server: Pick<Server, 'base'>,
  { reads, write }: Work,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Pacing {
  const order: Paced = {
    port: Number(new URL(server.base).port),
    ...{ perSecond, seconds, connections },
    ...(write
      ? { write: { path: write.paths[0] ?? '/', body: write.body, first: freshNumbers() } }
      : { reads: fileOf(reads) }),
  };
  const child = start(process.execPath, [join(import.meta.dir, 'paced.ts')], {
    PACED: JSON.stringify(order),
  });
  const result = async () =>
    JSON.parse(await printed(child, /^PACED (.+)$/m, (seconds + 15) * 1_000)) as PacedResult;
  return {
    result,
    async end() {
      await child.stop();
      return result();
    },
  };
}

function fileOf(paths: readonly string[]): string {
  const file = join(temporary('paths'), 'paths.txt');
  writeFileSync(file, paths.join('\n'));
  return file;
}
