import { groupCount, groupName, pick, random, rareWord, wordCount } from './dataset.ts';
import type { Stored, Work, WorkName } from './server.ts';

/** How a server spells the requests; the choice of ids, pages, groups and words is the same for all. */
export interface Spelling {
  readonly items: string;
  view(id: string): string;
  /** `size` records, 25 unless it is said; in an order that an index has, where the server sorts by such. */
  list(page: number, size?: number, order?: string): string;
  filter(group: string): string;
  include(page: number, size?: number, order?: string): string;
  search(word: string): string | undefined;
  readonly distinct: string | undefined;
  /** The same with a condition that takes no record away, and that never comes again. */
  anew(read: string): string;
  /** It looks through all records for a word. */
  readonly scansForSearch?: boolean;
  /** `brand` as it is sent in a new record. */
  brand(id: string): unknown;
  boolean?(value: boolean): unknown;
}

const pages = 40;

function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

/** The workloads that every server with such records has. */
export function commonWork(spelling: Spelling, stored: Stored, name: WorkName): Work | undefined {
  const next = random(7);
  const page = () => 1 + Math.floor(next() * pages);
  const views = () => times(20_000, () => spelling.view(pick(next, stored.ids)));
  const lists = () => times(1_000, () => spelling.list(page()));
  const groups = groupCount(stored.records);
  const filters = () => times(1_000, () => spelling.filter(groupName(Math.floor(next() * groups))));
  switch (name) {
    case 'view':
    case 'busy':
      return { reads: views() };
    case 'hostile':
      return { reads: hostileReads(spelling.items, groups) };
    case 'list':
      return { reads: lists() };
    case 'filter':
      return { reads: filters() };
    case 'include':
      return { reads: times(1_000, () => spelling.include(page())) };
    case 'search':
    case 'search-new': {
      const word = () => rareWord(stored.records, Math.floor(next() * stored.records));
      const paths = times(1_000, () => spelling.search(word())).filter((path) => path !== undefined);
      if (paths.length === 0) return undefined;
      const reads = name === 'search' ? paths : paths.map(spelling.anew);
      return { reads, slow: spelling.scansForSearch ?? false };
    }
    case 'filter-new':
      return { reads: filters().map(spelling.anew) };
    case 'list-new':
      return { reads: newPages(next, spelling.list) };
    case 'include-new':
      return { reads: newPages(next, spelling.include) };
    case 'distinct':
      return spelling.distinct === undefined ? undefined : { reads: [spelling.distinct] };
    case 'create':
      return { reads: [], write: createWrite(spelling, stored) };
    case 'update': {
      const paths = times(5_000, () => spelling.view(pick(next, stored.ids)));
      return { reads: [], write: { method: 'PATCH', paths, body: '{"price":1{n}}' } };
    }
    case 'mix': {
      const reads = views().map((view, index) => {
        if (index % 9 < 6) return view;
        return index % 9 < 8 ? spelling.list(page()) : spelling.filter(groupName(index % groups));
      });
      return { reads, write: createWrite(spelling, stored), every: 10 };
    }
    default:
      return undefined;
  }
}

/** Orders that an index has, in the product. */
const orders = ['', '-_createdAt', 'group', '-group', 'sku', '-sku', 'brand'];

/** Pages among the first 10,000 records, some 30,000 different ones, each named once. */
function newPages(next: () => number, spell: Spelling['list']): string[] {
  const paths = orders.flatMap((order) =>
    times(11, () => 20).flatMap((least, more) => {
      const size = least + more;
      return Array.from({ length: Math.floor(10_000 / size) }, (_, page) => spell(page + 1, size, order));
    }),
  );
  return paths
    .map((path): [number, string] => [next(), path])
    .sort(([one], [other]) => one - other)
    .map(([, path]) => path);
}

/** How many different ones of each are asked for, at every size: what a server remembers of them is to be the same. */
const variety = { filter: groupCount(10_000), search: 500 } as const;

/**
 * Filters and searches for the comparison of sizes. `anew`: each is one that was not asked for before, by a condition
 * that takes none of the records away, so that what it costs to find them is told too.
 */
export function grownWork(
  spelling: Spelling,
  { records }: Stored,
  name: keyof typeof variety,
  anew: boolean,
): Work {
  const next = random(11);
  const [all, spell] =
    name === 'filter'
      ? [groupCount(records), (index: number) => spelling.filter(groupName(index))]
      : [wordCount(records), (index: number) => spelling.search(rareWord(records, index)) ?? ''];
  const chosen = times(variety[name], () => spell(Math.floor(next() * all)));
  if (!anew) return { reads: times(1_000, () => pick(next, chosen)) };
  return { reads: times(5_000, () => spelling.anew(spell(Math.floor(next() * all)))) };
}

function createWrite(spelling: Spelling, { brandIds }: Stored) {
  const record = {
    title: 'created by the bench',
    group: 'created',
    sku: 'NEW-{n}',
    price: 12.5,
    inStock: spelling.boolean?.(true) ?? true,
    releasedAt: '2026-01-02T03:04:05.678Z',
    body: 'A text of about a hundred and twenty characters, as long as those of the records that were there before all this, or so.',
    brand: spelling.brand(brandIds[0] ?? ''),
  };
  return { method: 'POST', paths: [spelling.items], body: JSON.stringify(record) } as const;
}

/**
 * Each goes through all records in its own way: by a sort, a filter, a search and a count that no index is for. `{n}` becomes
 * a number that is new each time, so that no answer is one that is remembered.
 */
function hostileReads(items: string, groups: number): string[] {
  return [
    `${items}?price>=0.{n}&sort=-price,title`,
    `${items}?price>=0.{n}&sort=-title&page=100`,
    `${items}?price>=0.{n}&search=a`,
    `${items}?price>=0.{n}&search=e%20o%20i`,
    `${items}/distinct?fields=group&price>=0.{n}`,
    `${items}?price>=0.{n}&${Array.from({ length: 50 }, (_, index) => `title!=x${index % groups}y${index}`).join('&')}`,
  ];
}
