import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { codeOf, type RequestName } from '../../console/screens/api/code.ts';

const definition = {
  id: 'books',
  fields: { title: { type: 'text', required: true, default: "Ann's $HOME" } },
};
const what = { base: 'https://data.example', project: 'shop', definition };

/** The words that a shell makes of a command. */
function wordsOf(command: string): string[] {
  const script = `curl() { printf '%s\\n' "$@"; }; TOKEN=t; ${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n');
}

describe('the code of a request', () => {
  it('is one command for a shell, whatever is in the query and in the record', () => {
    const curl = (request: RequestName, query: string) =>
      wordsOf(codeOf({ ...what, request, query }, 'curl'));
    const address = `${what.base}/v1/shop/books`;
    const header = ['-H', 'Authorization: Bearer t'];
    const search = "search=Ann's;echo&sort=title";
    assert.deepEqual(curl('viewAll', search), [`${address}?${search}`, ...header]);
    const record = JSON.stringify({ title: "Ann's $HOME" });
    assert.deepEqual(curl('create', ''), [address, ...header, '--json', record]);
    assert.deepEqual(curl('delete', ''), ['-X', 'DELETE', `${address}/ID`, ...header]);
  });
});
