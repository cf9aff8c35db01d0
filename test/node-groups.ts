import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Files of a group: few enough that all of them are done in the time that one may take. */
const together = 8;

/** What is long has a process of its own. */
const long =
  /^test\/(auth\/matrix|client\/changes|commands\/(copy|import-http|stop)|console\/[\w-]+|differential\/differential|docs|durability\/(full-disk|kill)|http\/refusals|postgres\/[\w-]+|reference\/reference|schema\/property|stop|workers\/life)\.test/;

/** What awaits something before its tests are known can't be loaded in the place of a suite. */
const awaits = (file: string) => /^(?:const .*= )?await /m.test(readFileSync(file, 'utf8'));

/**
 * Modules for `node --test`, which gives each a process. To load the product takes one the better part of a second of a processor,
 * so that most of them run several files, one after the other, each as a suite with hooks of its own.
 */
export function groupForNode(files: readonly string[], folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const isApart = (file: string) => long.test(file) || awaits(file);
  const apart = files.filter(isApart);
  const others = files.filter((file) => !apart.includes(file));
  const count = Math.ceil(others.length / together);
  const groups = Array.from({ length: count }, (_, group) => {
    const module = join(folder, `group-${group + 1}.cjs`);
    const paths = others.filter((_, index) => index % count === group).map((file) => [file, resolve(file)]);
    writeFileSync(module, moduleOf(paths));
    return module;
  });
  return [...apart, ...groups];
}

/**
 * By `require`, which loads a file before the function of its suite returns: its tests and hooks are those of the suite. Should one of
 * them end the process, as if all were well, those that it took along are a failure.
 */
function moduleOf(paths: readonly (readonly string[])[]): string {
  return `const { after, describe } = require('node:test');
const left = new Map(${JSON.stringify(paths)});
for (const [file, path] of [...left])
  describe(file, () => {
    require(path);
    after(() => void left.delete(file));
  });
process.on('exit', () => {
  if (left.size === 0) return;
  console.error('not run to their end:', ...left.keys());
  process.exitCode = 1;
});
`;
}
