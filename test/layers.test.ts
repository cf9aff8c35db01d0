import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const source = join(dirname(fileURLToPath(import.meta.url)), '../src');

/** From the innermost to the outermost: each folder imports only from itself and from those before it. */
const layers = [
  'awaitable.ts',
  'channel.ts',
  'failure.ts',
  'log.ts',
  'metrics',
  'model',
  'define.ts',
  'access',
  'store',
  'query',
  'catalog',
  'jobs',
  'backups',
  'mail',
  'records',
  'changes',
  'auth',
  'webhooks',
  'admin',
  'describe',
  'audit',
  'http',
  'import',
  'runtime',
  'commands',
  'command-line.ts',
  'main.ts',
];

/** `[importing file, imported file]`, both relative to the folder. */
function imports(folder = source): [string, string][] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  return files.flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const paths = [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, path]) => path ?? '');
    return paths.map((path): [string, string] => [file, relative(folder, join(folder, dirname(file), path))]);
  });
}

const layerOf = (file: string) => layers.indexOf(file.split('/')[0] ?? '');

it('each folder imports only from those above it', () => {
  const found = imports();
  assert.ok(found.length > 100, 'the imports were found');
  const wrong = found.filter(([from, to]) => layerOf(from) < 0 || layerOf(to) > layerOf(from));
  assert.deepEqual(wrong, []);
});

it('CONTRIBUTING draws them in their order', () => {
  const text = readFileSync(join(source, '../CONTRIBUTING.md'), 'utf8');
  const picture = text.slice(text.indexOf('src/\n'), text.indexOf('\nclient/'));
  const drawn = [...picture.matchAll(/^ {2}([\w.-]+)\/? {2}/gm)].map(([, name]) => name);
  assert.deepEqual(drawn, layers);
});

it('only src/runtime names a runtime', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const naming = files.filter((file) =>
    /\bBun\.|'bun:|'node:sqlite'/.test(readFileSync(join(source, file), 'utf8')),
  );
  assert.deepEqual(
    naming.filter((file) => !file.startsWith('runtime/')),
    [],
  );
});

it('only src/command-line.ts reads the command line and the environment', () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const reading = files.filter((file) =>
    /process\.(argv|env)\b/.test(readFileSync(join(source, file), 'utf8')),
  );
  assert.deepEqual(reading, ['command-line.ts']);
});

it('the client imports nothing but itself', () => {
  const client = join(source, '../client');
  for (const file of readdirSync(client)) {
    const text = readFileSync(join(client, file), 'utf8');
    const paths = [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, path]) => path ?? '');
    assert.deepEqual(
      paths.filter((path) => !/^\.\/[\w-]+\.ts$/.test(path)),
      [],
      file,
    );
  }
});

/** The rules of the model, by which an import checks rows. */
const rules = /^\.\.\/src\/(failure|model\/[\w-]+)\.ts$/;

it('the console imports the two entries of the client, the rules of the model, and types', () => {
  const console = join(source, '../console');
  const files = readdirSync(console, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  const wrong = files.flatMap((file) => {
    const text = readFileSync(join(console, file), 'utf8');
    const found = [...text.matchAll(/^import (type )?[^;]*?from '(\.[^']+)';/gm)];
    const later = [...text.matchAll(/import\('(\.[^']+)'\)/g)].map(([, path = '']) => path);
    return [...found.filter(([, type]) => type === undefined).map(([, , path = '']) => path), ...later]
      .map((path) => relative(console, join(console, dirname(file), path)))
      .filter((path) => path.startsWith('..') && !/^\.\.\/client\/(client|admin)\.ts$/.test(path))
      .filter((path) => !(file.startsWith('screens/import/') && rules.test(path)))
      .map((path) => `${file} imports ${path}`);
  });
  assert.ok(files.length > 50, 'the files were found');
  assert.deepEqual(wrong, []);
});

for (const folder of ['src', 'console', 'client']) {
  it(`no file of ${folder} imports another that imports it, by whatever detour`, () => {
    const edges = new Map<string, string[]>();
    for (const [from, to] of imports(join(source, '..', folder)))
      edges.set(from, [...(edges.get(from) ?? []), to]);
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, way: readonly string[]): void => {
      if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '));
      if (way.includes(file) || done.has(file)) return;
      for (const next of edges.get(file) ?? []) visit(next, [...way, file]);
      done.add(file);
    };
    for (const file of edges.keys()) visit(file, []);
    assert.deepEqual(circles, []);
  });
}
