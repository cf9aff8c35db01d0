#!/usr/bin/env node
// Starts vitrine on Bun, or on Node 24 or newer where there is no Bun. VITRINE_RUNTIME=bun or node chooses.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const sources = join(here, '../src/main.ts'); // in a checkout
const main = existsSync(sources) ? sources : join(here, '../lib/src/main.js');
const nodeFits = Number(process.versions.node.split('.')[0]) >= 24;
const { VITRINE_RUNTIME: wanted } = process.env;

/** The Bun that came with this package, also where npm did not run its install script; else one that is installed. */
function findBun() {
  const require = createRequire(import.meta.url);
  const arch = process.arch === 'arm64' ? 'aarch64' : process.arch;
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const program = platform === 'windows' ? 'bun.exe' : 'bun';
  const places = [['bun/package.json', 'bin/bun.exe']];
  for (const libc of ['', '-musl'])
    places.push([`@oven/bun-${platform}-${arch}${libc}/package.json`, `bin/${program}`]);
  for (const [name, file] of places) {
    try {
      const path = join(dirname(require.resolve(name)), file);
      // Before the install script has run, a few bytes that say so stand in its place.
      if (statSync(path).size > 1_000_000 && runs(path)) return path;
    } catch {} // not there
  }
  return runs('bun') ? 'bun' : undefined;
}

function runs(program) {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  const [major, minor] = (stdout ?? '').split('.').map(Number);
  return status === 0 && (major > 1 || (major === 1 && minor >= 4));
}

const bun = wanted === 'node' ? undefined : findBun();
if (bun) {
  const child = spawn(bun, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code, signal) => {
    if (signal) process.kill(process.pid, process.removeAllListeners(signal) && signal);
    else process.exitCode = code ?? 1;
  });
} else if (nodeFits && wanted !== 'bun') {
  process.argv[1] = main;
  await import(pathToFileURL(main).href);
} else {
  process.stderr.write(
    `vitrine: needs Bun 1.4 or newer, or Node 24 or newer (this is ${process.versions.node}): install Bun with 'npm install bun'\n`,
  );
  process.exitCode = 1;
}
