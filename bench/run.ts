import { cleanUp } from './children.ts';
import { compare } from './compare.ts';
import { postgresGoals } from './goals.ts';
import { growth } from './growth.ts';
import { type Options, readOptions, UsageError, usage } from './options.ts';
import { knownPeers } from './peers/known.ts';
import { comparePostgres } from './postgres/run.ts';
import { warn } from './report.ts';
import { workNames } from './server.ts';
import { hasWrk } from './wrk.ts';

function options(): Options {
  const read = readOptions(process.argv.slice(2));
  const known = read.postgres === undefined ? workNames : Object.keys(postgresGoals);
  for (const name of read.only ?? []) {
    if (!known.some((one) => one === name)) {
      throw new UsageError(`--only: there is no workload '${name}': ${known.join(', ')}`);
    }
  }
  for (const name of read.peers.keys()) {
    if (!knownPeers.has(name)) {
      throw new UsageError(`--peer: '${name}' is not known: ${[...knownPeers.keys()].join(', ')}`);
    }
  }
  return read;
}

async function main(): Promise<number> {
  if (!hasWrk()) {
    console.error('The bench needs wrk, which is not installed. On Debian: apt install wrk');
    return 2;
  }
  const chosen = options();
  warn();
  if (chosen.postgres !== undefined) await comparePostgres(chosen);
  else if (chosen.growth) await growth(chosen);
  else await compare(chosen);
  return 0;
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => {
    cleanUp();
    process.exit(code);
  });
}

let code = 1;
try {
  code = await main();
} catch (error) {
  if (error instanceof UsageError) {
    console.error(`${error.message}\n${usage}`);
    code = 2;
  } else {
    console.error(error instanceof Error ? error.message : error);
  }
} finally {
  cleanUp();
}
process.exit(code);
