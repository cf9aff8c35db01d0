import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Client } from './client.ts';
import {
  applyChanges,
  type Change,
  type Entries,
  type Entry,
  type Kind,
  kinds,
  type Values,
} from './model.ts';

export interface Operation {
  readonly verb: 'POST' | 'PATCH' | 'DELETE';
  /** Behind the project's address. */
  readonly path: string;
  readonly body: Json | undefined;
  readonly idempotencyKey: string | undefined;
  readonly changes: readonly Change[];
  /** One record rather than a batch. */
  readonly single: boolean;
  /** Asks for a key that is taken: a 409, and nothing happens. */
  readonly refused: boolean;
}

const names = ['Red bicycle', 'Crème BRÛLÉE', 'old Lamp', 'under 50% of IT', '漢字'];

/** A random write of the client, by its dice. */
export function planOperation(client: Client): Operation {
  const { dice } = client;
  const way = dice.below(100);
  if (way < 35) return single(client, change(client, client.entries, 'create', kindOf(client)));
  const existing = dice.pick([...client.entries.values()]);
  if (way < 52 && existing) return single(client, changeOf(client, client.entries, 'update', existing));
  if (way < 60 && existing) return single(client, changeOf(client, client.entries, 'delete', existing));
  return way < 80 ? collectionBatch(client) : projectBatch(client);
}

const kindOf = ({ dice }: Client): Kind => (dice.chance(25) ? 'groups' : 'items');

function size({ dice }: Client): number {
  return dice.chance(10) ? 40 + dice.below(40) : 2 + dice.below(9);
}

function change(client: Client, entries: Entries, method: Change['method'], kind: Kind): Change {
  const { dice } = client;
  const known = [...entries.values()].filter((entry) => entry.kind === kind && entry.id !== undefined);
  const entry = method === 'create' ? undefined : dice.pick(known);
  if (entry) return changeOf(client, entries, method, entry);
  return { method: 'create', kind, key: client.nextKey(), data: data(client, entries, kind, 70) };
}

function changeOf(client: Client, entries: Entries, method: Change['method'], { kind, key }: Entry): Change {
  return { method, kind, key, data: method === 'delete' ? {} : data(client, entries, kind, 45) };
}

/** Each field with this chance. */
function data(client: Client, entries: Entries, kind: Kind, percent: number): Partial<Values> {
  const { dice } = client;
  const all = [...entries.values()];
  const groups = all.filter((entry) => entry.kind === 'groups').map(({ key }) => key);
  const peers = all.filter((entry) => entry.kind === kind).map(({ key }) => key);
  const tags = Array.from({ length: dice.below(5) }, () => `tag${dice.below(12)}`);
  const title = dice.chance(85) ? `${dice.pick(names)} ${client.nextWord()}` : null;
  const values: Values = {
    title,
    n: dice.chance(90) ? dice.below(1000) : null,
    tags,
    group: (dice.chance(80) ? dice.pick(groups) : null) ?? null,
    peers: dice.some(peers, 3),
  };
  return Object.fromEntries(Object.entries(values).filter(() => dice.chance(percent)));
}

function single(client: Client, made: Change): Operation {
  const { kind, key, method } = made;
  const id = client.entries.get(key)?.id;
  const shared = { changes: [made], single: true, idempotencyKey: undefined, refused: false };
  if (method === 'delete') return { ...shared, verb: 'DELETE', path: `${kind}/${id}`, body: undefined };
  const body = payload(made, client.entries, new Map());
  if (method === 'update') return { ...shared, verb: 'PATCH', path: `${kind}/${id}`, body };
  return { ...shared, verb: 'POST', path: kind, body, idempotencyKey: keyOrNone(client, key) };
}

const keyOrNone = ({ dice }: Client, key: number) => (dice.chance(35) ? `idem-${key}` : undefined);

/** Changes that go together, each thought out after those before it; at times with one that is refused. */
function series(client: Client, methods: readonly Change['method'][], kind: () => Kind) {
  const changes: Change[] = [];
  let entries = client.entries;
  for (const method of methods) {
    const next = change(client, entries, method, kind());
    changes.push(next);
    entries = applyChanges(entries, [next], []);
  }
  const taken = [...client.entries.values()].find(({ key }) => entries.has(key));
  const refused = taken !== undefined && client.dice.chance(8);
  if (refused) changes.push({ method: 'create', kind: taken.kind, key: taken.key, data: {} });
  return { changes, refused };
}

/** Creations, then updates, then deletions, as the service runs them. */
function collectionBatch(client: Client): Operation {
  const kind = kindOf(client);
  const methods: Change['method'][] = Array.from({ length: size(client) }, () => method(client));
  const order = ['create', 'update', 'delete'];
  methods.sort((a, b) => order.indexOf(a) - order.indexOf(b));
  const { changes, refused } = series(client, methods, () => kind);
  const own = changes.filter((one) => one.kind === kind);
  const sorted = own.toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method));
  const of = (wanted: Change['method']) => sorted.filter((one) => one.method === wanted);
  const refs = new Map<number, string>();
  for (const [index, { key }] of of('create').entries()) {
    if (!client.entries.has(key)) refs.set(key, `create[${index}]`);
  }
  const id = ({ key }: Change) => client.entries.get(key)?.id ?? '';
  const body: Json = {
    create: of('create').map((one) => payload(one, client.entries, refs)),
    update: of('update').map((one) => ({ _id: id(one), ...payload(one, client.entries, refs) })),
    delete: of('delete').map(id),
  };
  return {
    ...{ verb: 'POST', path: `${kind}/batch`, body, changes: sorted, single: false },
    refused: refused && own.length === changes.length,
    idempotencyKey: keyOrNone(client, client.nextKey()),
  };
}

/** Both collections in one, in any order. */
function projectBatch(client: Client): Operation {
  const { dice } = client;
  const methods = Array.from({ length: size(client) }, () => method(client));
  const { changes, refused } = series(client, methods, () => dice.pick(kinds) ?? 'items');
  const refs = new Map<number, string>();
  const operations = changes.map((one, index): JsonObject => {
    const address = { method: one.method, collection: one.kind };
    if (one.method === 'create') {
      const made = { ...address, data: payload(one, client.entries, refs) };
      if (!client.entries.has(one.key)) refs.set(one.key, `operations[${index}]`);
      return made;
    }
    const known = { ...address, id: client.entries.get(one.key)?.id ?? '' };
    return one.method === 'delete' ? known : { ...known, data: payload(one, client.entries, refs) };
  });
  return {
    ...{ verb: 'POST', path: '_batch', body: { operations }, changes, single: false, refused },
    idempotencyKey: keyOrNone(client, client.nextKey()),
  };
}

const method = ({ dice }: Client): Change['method'] =>
  dice.chance(60) ? 'create' : dice.chance(60) ? 'update' : 'delete';

/** The values with `_id`s, or `$ref`s to records of the same batch, in place of keys. */
function payload({ method, key, data: values }: Change, entries: Entries, refs: ReadonlyMap<number, string>) {
  const link = (to: number): Json => {
    const ref = refs.get(to);
    return ref === undefined ? (entries.get(to)?.id ?? '') : { $ref: ref };
  };
  const { group, peers, ...plain } = values;
  return {
    ...(method === 'create' && { key }),
    ...(plain as JsonObject),
    ...(group !== undefined && { group: group === null ? null : link(group) }),
    ...(peers !== undefined && { peers: peers.map(link) }),
  };
}
