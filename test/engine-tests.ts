import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The file that decides what engine a test runs on. */
const decides = 'test/storage.ts';

/** About a disk that fails and SQLite's files, about PostgreSQL alone, about both next to each other. */
const chooses = ['test/durability/', 'test/postgres/', 'test/differential/'];

/** Those of the test files that run on whatever engine they are told to: they reach the product through one place. */
export function engineTests(files: Iterable<string>): string[] {
  const known = new Map<string, boolean>();
  const reaches = (file: string): boolean => {
    if (file === decides) return true;
    const found = known.get(file);
    if (found !== undefined) return found;
    known.set(file, false);
    const reached = importsOf(file).some(reaches);
    known.set(file, reached);
    return reached;
  };
  return [...files]
    .filter((file) => !chooses.some((folder) => file.startsWith(folder)) && reaches(file))
    .sort();
}

/** Of one test file, the others of the folder that it uses. Types alone run nothing. */
function importsOf(file: string): string[] {
  const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export) ([^;]*?) from '(\.[^']+\.ts)'/gm);
  return [...imports]
    .filter(([, names = '']) => !isTypes(names))
    .map(([, , path = '']) => join(dirname(file), path))
    .filter((path) => path.startsWith('test/'));
}

function isTypes(names: string): boolean {
  if (names.startsWith('type ')) return true;
  const inside = /^\{(.*)\}$/s.exec(names)?.[1];
  return inside?.split(',').every((name) => /^\s*(type .*)?$/s.test(name)) ?? false;
}
