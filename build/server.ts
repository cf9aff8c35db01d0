import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { builtFolder, fingerprint, madeOf } from '../src/runtime/built.ts';
import { modules } from './modules.ts';

/** Part of `npm ci`: the server as `src/main.ts` runs it for as long as no source is changed. */
const root = fileURLToPath(new URL('..', import.meta.url));
const folder = builtFolder(root);
const draft = `${folder}-${process.pid}`;
const made = fingerprint(root);

await Bun.build({
  entrypoints: modules.map((module) => join(root, module)),
  root: join(root, 'src'),
  outdir: draft,
  target: 'bun',
  format: 'cjs', // of the two formats the one that Bun compiles into files
  bytecode: true,
  sourcemap: 'linked',
  external: ['@node-rs/argon2'], // has native code, which stays in its own place
  // Threads are found beside the program.
  define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(folder, 'runtime/executable.js')).href) },
});
writeFileSync(join(draft, madeOf), made);
rmSync(folder, { recursive: true, force: true });
renameSync(draft, folder);
process.stdout.write('server: built, to start at once\n');
