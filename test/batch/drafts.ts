import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Dice } from '../reference/dice.ts';
import { strangerId } from '../support.ts';

/**
 * An operation that can be sent to several projects, in a batch or alone: its records are named as
 * `{"$old": "…"}`, one that is there, or `{"$made": 3}`, what the fourth draft makes.
 */
export interface Draft {
  readonly method: 'create' | 'update' | 'delete';
  readonly collection: string;
  readonly target?: JsonObject;
  readonly data?: JsonObject;
}

/** A draft that must be refused, and with which status. */
export interface Poison {
  readonly draft: Draft;
  readonly status: number;
}

export type Known = Readonly<Record<string, readonly string[]>>;

const order = ['create', 'update', 'delete'] as const;
const titles = ['a thing', 'the new one', 'old Ж', 'new', 'a 漢字'];

/** Records of the other drafts that nothing may change, so that a poison can rely on them. */
export interface Keepers {
  readonly product: string;
  readonly others: readonly string[];
}

export function makeDrafts(dice: Dice, known: Known, { product, others }: Keepers, only?: string): Draft[] {
  const drafts: Draft[] = [];
  const methods = dice.times(1 + dice.below(8), () =>
    dice.pick([...order, 'create', 'create', 'update'] as const),
  );
  const ordered = only ? methods.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)) : methods;
  for (const method of ordered) {
    const collection = only ?? dice.pick(['brands', 'products', 'products', 'reviews', 'orders']);
    const free = (known[collection] ?? []).filter((id) => id !== product && !others.includes(id));
    if (method === 'create') {
      drafts.push({ method, collection, data: payload(dice, known, drafts, collection, true) });
    } else if (free.length > 0) {
      const target = { $old: dice.pick(free) };
      const data = method === 'update' && { data: payload(dice, known, drafts, collection, false) };
      drafts.push({ method, collection, target, ...data });
    }
  }
  return drafts;
}

function payload(
  dice: Dice,
  known: Known,
  drafts: readonly Draft[],
  collection: string,
  whole: boolean,
): JsonObject {
  const relate = (to: string): Json => {
    const made = drafts.flatMap((draft, at) => {
      return draft.method === 'create' && draft.collection === to ? [{ $made: at }] : [];
    });
    const old = (known[to] ?? []).map((id) => ({ $old: id }));
    if (made.length > 0 && dice.chance(60)) return dice.pick(made);
    return old.length > 0 ? dice.pick(old) : null;
  };
  const all: Readonly<Record<string, () => JsonObject>> = {
    brands: () => ({ name: `brand ${dice.below(9)}` }),
    products: () => ({
      title: dice.pick(titles),
      sku: dice.chance(50) ? `S${dice.below(9)}` : null,
      price: dice.pick([null, 0, 5, 10, 99.5]),
      tags: dice.some(['new', 'x', 'Ж'], 0, 3),
      brand: dice.chance(70) ? relate('brands') : null,
      similar: dice.chance(50) ? [relate('products')].filter((one) => one !== null) : [],
    }),
    reviews: () => ({
      text: dice.pick([...titles, null]),
      product: relate('products'),
      previous: dice.chance(40) ? relate('reviews') : null,
    }),
    orders: () => ({ product: dice.chance(60) ? relate('products') : null }),
  };
  const fields = Object.entries({
    ...all[collection]?.(),
    ...(dice.chance(25) && { _owner: { $old: 'the user' } }),
  });
  return Object.fromEntries(whole ? fields : fields.filter(() => dice.chance(50)));
}

/** One that is refused with this status. */
export function makePoison(dice: Dice, status: number, { product }: Keepers, only?: string): Poison {
  const create = (collection: string, data: JsonObject): Draft => ({ method: 'create', collection, data });
  const products: readonly Poison[] = [
    { status: 400, draft: create('products', { title: 'poison', price: -1 }) },
    { status: 400, draft: create('products', { title: 'poison', nonsense: 1 }) },
    { status: 400, draft: create('products', { title: 'poison', brand: strangerId }) },
    { status: 400, draft: create('products', { title: 'poison', similar: [{ $old: product }, strangerId] }) },
    { status: 400, draft: create('products', { title: 'poison', _owner: strangerId }) },
    { status: 409, draft: create('products', { title: 'poison', sku: 'KEEP' }) },
    {
      status: 404,
      draft: { method: 'update', collection: 'products', target: { $old: strangerId }, data: {} },
    },
    {
      status: 400,
      draft: { method: 'update', collection: 'products', target: { $old: product }, data: { title: null } },
    },
    { status: 404, draft: { method: 'delete', collection: 'products', target: { $old: strangerId } } },
    { status: 409, draft: { method: 'delete', collection: 'products', target: { $old: product } } },
  ];
  const anywhere: readonly Poison[] = [
    { status: 409, draft: create('brands', { name: 'keeper' }) },
    { status: 400, draft: create('reviews', { text: 'poison' }) },
    { status: 400, draft: create('reviews', { text: 'poison', product: strangerId }) },
    { status: 404, draft: create('poison', {}) },
  ];
  const all = only ? products : [...products, ...anywhere];
  return dice.pick(all.filter((poison) => poison.status === status));
}

/** The draft's references as one project has them. Throws what `made` throws. */
export function resolve(value: Json, old: (id: string) => string, made: (at: number) => Json): Json {
  if (Array.isArray(value)) return value.map((one: Json) => resolve(one, old, made));
  if (typeof value !== 'object' || value === null) return value;
  const object = value as JsonObject;
  if (typeof object.$old === 'string') return old(object.$old);
  if (typeof object.$made === 'number') return made(object.$made);
  return Object.fromEntries(
    Object.entries(object).map(([key, one]) => [key, resolve(one ?? null, old, made)]),
  );
}
