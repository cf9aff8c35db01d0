import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Names } from './names.ts';

const failing = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
const silent = () => new Promise<never>(() => {});

describe('names', () => {
  it('that are found quickly take no thread', async () => {
    const names = new Names({ quick: async () => ['192.0.2.1'], system: failing('ENOTFOUND') });
    assert.deepEqual(await names.resolve('a.test'), ['192.0.2.1']);
  });

  for (const code of ['DNS_ENOTFOUND', 'DNS_ECONNREFUSED', 'DNS_ETIMEOUT'])
    it(`that are not, as with ${code}, are asked of the system`, async () => {
      const names = new Names({ quick: failing(code), system: async () => ['192.0.2.2'] });
      assert.deepEqual(await names.resolve('a.test'), ['192.0.2.2']);
    });

  it('are asked of the system too where nothing comes quickly', async () => {
    const names = new Names({ quick: silent, system: async () => ['192.0.2.2'], askSystemAfter: 10 });
    assert.deepEqual(await names.resolve('a.test'), ['192.0.2.2']);
  });

  it('wait for nothing once the system knew what came from nowhere else', async () => {
    const names = new Names({ quick: silent, system: async () => ['192.0.2.2'], askSystemAfter: 300 });
    await names.resolve('a.test');
    const begun = performance.now();
    for (let n = 0; n < 20; n++) await names.resolve(`${n}.test`);
    assert.ok(performance.now() - begun < 20 * 300);
  });

  it('are found by whoever knows them first', async () => {
    const late = Promise.withResolvers<string[]>();
    const names = new Names({ quick: () => late.promise, system: silent, askSystemAfter: 10 });
    const found = names.resolve('a.test');
    setTimeout(() => late.resolve(['192.0.2.1']), 30);
    assert.deepEqual(await found, ['192.0.2.1']);
  });

  it('that nobody knows fail as the system says', async () => {
    const names = new Names({ quick: failing('DNS_ENOTFOUND'), system: failing('EAI_AGAIN') });
    await assert.rejects(names.resolve('a.test'), { code: 'EAI_AGAIN' });
  });

  it('are asked of the system one at a time, and each once however many wait for it', async () => {
    const asked: string[] = [];
    const answers: ((error: Error) => void)[] = [];
    const system = (name: string) => {
      asked.push(name);
      return new Promise<never>((_, reject) => answers.push(reject));
    };
    const names = new Names({ quick: failing('DNS_ETIMEOUT'), system });
    const all = ['a.test', 'b.test', 'a.test', 'b.test'].map((name) => names.resolve(name));
    const outcomes = Promise.allSettled(all);
    const turn = () => new Promise((resolve) => setTimeout(resolve, 10));
    await turn();
    assert.deepEqual(asked, ['a.test']);
    answers[0]?.(new Error('dead'));
    await turn();
    assert.deepEqual(asked, ['a.test', 'b.test']);
    answers[1]?.(new Error('dead'));
    assert.ok((await outcomes).every(({ status }) => status === 'rejected'));
    assert.equal(asked.length, 2);
  });
});
