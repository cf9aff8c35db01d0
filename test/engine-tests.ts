import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The file that decides what engine a test runs on. */
const decides = 'test/storage.ts';

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
  // Tests of a disk that fails are about SQLite's files whoever opens them.
  return [...files].filter((file) => !file.startsWith('test/durability/') && reaches(file)).sort();
}

/** Of one test file, the others of the folder that it uses. */
function importsOf(file: string): string[] {
  const imports = readFileSync(file, 'utf8').matchAll(/from '(\.[^']+\.ts)'/g);
  return [...imports].map(([, path]) => join(dirname(file), path ?? '')).filter(isTestFile);
}

const isTestFile = (path: string) => path.startsWith('test/');
