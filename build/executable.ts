import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/**
 * `npm run build`: one file, `dist/vitrine`, that needs nothing else installed: the runtime, the server with its threads, the
 * commands and the console. `-- --target bun-linux-arm64` builds for another machine, `-- --out FILE` to another place.
 */
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values } = parseArgs({
  options: {
    target: { type: 'string' },
    out: { type: 'string', default: join(root, 'dist', 'vitrine') },
  },
});

const steps: readonly string[][] = [
  ['console/build.ts'],
  [
    ...['build', '--compile', '--outfile', values.out],
    ...(values.target ? [`--target=${values.target}`] : []),
    // A thread begins with a module of its own, which nothing imports.
    ...['src/main.ts', ...globSync('src/runtime/*-thread.ts', { cwd: root })],
  ],
];

for (const args of steps) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
