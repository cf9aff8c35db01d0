import assert from 'node:assert/strict';
import type { Row } from '../support.ts';
import type { Answer, Client } from './client.ts';
import { type Found, type Kind, kinds } from './model.ts';

/** A GET of a path behind the project's address. */
export type Get = (path: string) => Promise<Answer | undefined>;

async function read<T>(get: Get, path: string): Promise<T> {
  const answer = await get(path);
  assert.equal(answer?.status, 200, `${path}: ${answer?.text}`);
  return (JSON.parse(answer?.text ?? '') as { result: T }).result;
}

/** Every record of both collections, by key; totals are what they should be. */
export async function readAll(get: Get): Promise<Found> {
  const found = new Map<number, { kind: Kind; row: Row }>();
  for (const kind of kinds) {
    const before = found.size;
    for (let after: string | null = ''; after !== null; ) {
      const walk = `${kind}?perPage=1000&after=${encodeURIComponent(after)}`;
      const page: { next: string | null; found: Row[] } = await read(get, walk);
      for (const row of page.found) found.set(Number(row.key), { kind, row });
      after = page.next;
    }
    const { total } = await read<{ total: number }>(get, `${kind}?perPage=1`);
    assert.equal(total, found.size - before, `the total of ${kind}`);
  }
  return found;
}

export function ownOf(found: Found, client: Client): Found {
  return new Map([...found].filter(([key]) => client.owns(key)));
}

/** Words of late are found where they are, and only there. */
export async function checkSearch(get: Get, clients: readonly Client[], most: number): Promise<void> {
  for (const { word, kind, keys } of clients.flatMap((client) => client.wordsToFind(most))) {
    const list = await read<{ total: number; found: Row[] }>(get, `${kind}?search=${word}`);
    const there = list.found.map(({ key }) => key);
    assert.deepEqual(there, keys, `search for ${word} in ${kind}`);
    assert.equal(list.total, keys.length);
  }
}

/** Filters that go through the list tables and indexes find what the records say. */
export async function checkFilters(get: Get, found: Found, tag: string, n: number): Promise<void> {
  for (const kind of kinds) {
    const rows = [...found.values()].filter((one) => one.kind === kind).map(({ row }) => row);
    const total = async (query: string) => {
      return (await read<{ total: number }>(get, `${kind}?perPage=1&${query}`)).total;
    };
    assert.equal(
      await total(`tags=${tag}`),
      rows.filter(({ tags }) => (tags as string[]).includes(tag)).length,
    );
    assert.equal(await total(`n=${n}`), rows.filter((row) => row.n === n).length);
    const group = rows.findLast((row) => row.group !== null)?.group;
    if (!group) continue;
    assert.equal(await total(`group=${group}`), rows.filter((row) => row.group === group).length);
  }
}
