import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Instantiations of types in a check of the client and of the tests of its types: 26,000 when this was written. */
const most = 60_000;

it('the types hold with TypeScript 5.9 too, and cost little', { timeout: 280_000 }, () => {
  const compiler = join(root, 'test/tools/node_modules/typescript/lib/tsc.js');
  const flags = '--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --skipLibCheck';
  const target = '--target ES2024 --lib ES2024,DOM,DOM.Iterable --module NodeNext --types node';
  const words = `${flags} ${target} --allowImportingTsExtensions --extendedDiagnostics`.split(' ');
  const files = ['test/client/types.test.ts', 'test/client/shop.ts', 'client/client.ts', 'client/admin.ts'];
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...words, ...files], {
    cwd: root,
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout);
  const count = Number(/^Instantiations:\s+(\d+)$/m.exec(stdout)?.[1]);
  console.log(`types of the client: ${count} instantiations`);
  assert.ok(count < most, `${count} instantiations`);
});
