/** A record as it is sent to every server; `brand` is the place of the brand in the list of brands. */
export interface Item {
  readonly title: string;
  readonly group: string;
  readonly sku: string;
  readonly price: number;
  readonly inStock: boolean;
  readonly releasedAt: string;
  readonly body: string;
  readonly brand: number;
}

export interface Brand {
  readonly name: string;
  readonly country: string;
}

const brandCount = 100;
const matchesPerGroup = 100;
const matchesPerWord = 20;

const words =
  'amber brisk cedar delta ember fjord grain hazel ivory jolly knoll lemon maple noble ocean pearl quilt river sable tulip umber velvet willow xenon yonder zephyr'.split(
    ' ',
  );

/** Numbers from 0 up to 1, the same in every run (mulberry32). */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function pick<T>(next: () => number, values: readonly T[]): T {
  const value = values[Math.floor(next() * values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}

/** How many values `group` has: each holds a hundred records, whatever the size. */
export function groupCount(records: number): number {
  return Math.max(1, Math.floor(records / matchesPerGroup));
}

export function groupName(index: number): string {
  return `group-${String(index).padStart(6, '0')}`;
}

export function wordCount(records: number): number {
  return Math.max(1, Math.floor(records / matchesPerWord));
}

/** A word that stands in twenty records, whatever the size. */
export function rareWord(records: number, index: number): string {
  return `rare${index % wordCount(records)}x`;
}

export function makeBrands(): Brand[] {
  return Array.from({ length: brandCount }, (_, index) => ({
    name: `Brand ${String(index).padStart(3, '0')}`,
    country: `Country ${index % 20}`,
  }));
}

/** Records one by one, the same in every run. */
export function* makeItems(records: number, seed = 1): Generator<Item> {
  const next = random(seed);
  const groups = groupCount(records);
  for (let index = 0; index < records; index++) {
    const prose = Array.from({ length: 17 }, () => pick(next, words)).join(' ');
    yield {
      title: `${pick(next, words)} ${pick(next, words)} ${index}`,
      group: groupName(index % groups),
      sku: `SKU-${String(index).padStart(10, '0')}`,
      price: Math.floor(next() * 100_000) / 100,
      inStock: next() < 0.7,
      releasedAt: new Date(1_600_000_000_000 + Math.floor(next() * 1e11)).toISOString(),
      body: `${prose} ${rareWord(records, index)}`,
      brand: Math.floor(next() * brandCount),
    };
  }
}

export function* chunks<T>(values: Iterable<T>, size: number): Generator<T[]> {
  let chunk: T[] = [];
  for (const value of values) {
    chunk.push(value);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
