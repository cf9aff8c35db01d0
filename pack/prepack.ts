import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importedPackages, keepDeclarations, renameSources } from './built-files.ts';
import { type Manifest, packageManifest } from './manifest.ts';

/**
 * Before `npm pack`: compiles the sources to JavaScript with types in lib/, builds the console, and replaces package.json by that
 * of the package, until postpack.ts restores it.
 */
const root = fileURLToPath(new URL('..', import.meta.url));
const [manifest, saved, lib] = ['package.json', 'pack/package.json.saved', 'lib'].map((path) =>
  join(root, path),
) as [string, string, string];

function run(...words: readonly string[]): void {
  const [program = '', ...rest] = words;
  const { status, stdout, stderr } = spawnSync(program, rest, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${words.join(' ')}: ${stdout}${stderr}`);
}

if (existsSync(saved)) renameSync(saved, manifest); // left by an interrupted run
rmSync(lib, { recursive: true, force: true });
run(process.execPath, 'console/build.ts');
run(join(root, 'node_modules/.bin/tsc'), '-p', 'pack');
renameSources(lib);
keepDeclarations(lib, ['client/client', 'client/admin', 'src/define']);

const original = readFileSync(manifest, 'utf8');
const { version, ...rest } = JSON.parse(original) as Manifest & { version: string };
writeFileSync(join(lib, 'package.json'), `${JSON.stringify({ type: 'module', version })}\n`);
const made = packageManifest({ ...rest, version }, importedPackages(lib));
cpSync(join(root, 'console/dist/files.js'), join(lib, 'console/dist/files.js'));
writeFileSync(saved, original);
writeFileSync(manifest, `${JSON.stringify(made, null, 2)}\n`);
