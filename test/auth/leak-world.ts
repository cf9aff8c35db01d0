import fc from 'fast-check';
import type { JsonObject } from '../../src/model/json.ts';
import { asAdmin, resultOf } from '../support.ts';
import type { Holder, Level, Method } from './matrix-world.ts';
import { methods } from './matrix-world.ts';
import type { People, SignedIn } from './people.ts';

export type Levels = Readonly<Record<Method, Level>>;

export interface Caller {
  readonly name: string;
  readonly token?: string;
  /** Of an administrator who acts for them, and so sees what they would. */
  readonly impersonation?: string;
  readonly everything?: boolean;
  /** Every write is refused. */
  readonly reads?: boolean;
  readonly user?: string;
  readonly workspace?: string | null;
}

/** What is drawn: numbers stand for holders and for records of the related collection. */
export interface Draw {
  readonly levels: Readonly<Record<'a' | 'b', Levels>>;
  /** Whether users come themselves, or somebody for them. */
  readonly impersonated: boolean;
  readonly b: readonly { readonly holder: number }[];
  readonly a: readonly { readonly holder: number; readonly toB: readonly number[] }[];
  readonly hub: readonly { readonly toA: number; readonly toB: readonly number[] }[];
  readonly pins: readonly { readonly holder: number; readonly pin: number }[];
}

const level = fc.constantFrom<Level>('public', 'user', 'workspace');
const mixed = fc.record(
  Object.fromEntries(methods.map((method) => [method, level])) as never,
) as fc.Arbitrary<Levels>;
const same = level.map((one) => Object.fromEntries(methods.map((method) => [method, one])) as Levels);
const levels = fc.oneof({ weight: 2, arbitrary: same }, { weight: 1, arbitrary: mixed });
const number = fc.nat(99);
const numbers = fc.uniqueArray(fc.nat(7), { maxLength: 3 });

export const draws: fc.Arbitrary<Draw> = fc.record({
  levels: fc.record({ a: levels, b: levels }),
  impersonated: fc.boolean(),
  b: fc.array(fc.record({ holder: number }), { minLength: 1, maxLength: 8 }),
  a: fc.array(fc.record({ holder: number, toB: numbers }), { minLength: 1, maxLength: 8 }),
  hub: fc.array(fc.record({ toA: number, toB: numbers }), { minLength: 1, maxLength: 6 }),
  pins: fc.array(fc.record({ holder: number, pin: number }), { maxLength: 3 }),
});

export interface Stored extends Holder {
  readonly id: string;
  readonly marker: string;
  readonly code: string;
  /** Related records. */
  readonly toA: readonly Stored[];
  readonly toB: readonly Stored[];
}

export interface Place {
  readonly people: People;
  readonly holders: readonly Holder[];
  readonly callers: readonly Caller[];
}

/** Ann and Ben in one workspace, Cid in another, where Ann is too; Dan in none. */
export async function makePlace(people: People): Promise<Place> {
  const [ann, ben, cid, dan] = await Promise.all(
    ['ann', 'ben', 'cid', 'dan'].map((name) => people.register(name)),
  );
  if (!ann || !ben || !cid || !dan) throw new Error('four people');
  const [north, south] = [await people.workspace(ann, 'North'), await people.workspace(cid, 'South')];
  await people.join(north, ben);
  await people.join(south, ann);
  const caller = async (name: string, { user, accessToken }: SignedIn): Promise<Caller> => {
    const { _id, workspace } = user;
    const asked = { minutes: 60, reason: 'Ticket 7', ...(workspace && { workspace }) };
    const impersonation = resultOf(
      await people.manage('POST', `/users/${_id}/impersonate`, asked),
    ).accessToken;
    return { name, token: accessToken, impersonation: String(impersonation), user: _id, workspace };
  };
  return {
    people,
    holders: [
      { owner: ann.user._id, workspace: north },
      { owner: ann.user._id, workspace: south },
      { owner: ben.user._id, workspace: north },
      { owner: cid.user._id, workspace: south },
      { owner: dan.user._id, workspace: null },
      { owner: null, workspace: north },
      { owner: null, workspace: null },
    ],
    callers: [
      { name: 'nobody' },
      await caller('ann', await people.switch(ann, north)),
      await caller('ann in South', await people.switch(ann, south)),
      await caller('ben', await people.switch(ben, north)),
      await caller('cid', await people.switch(cid, south)),
      await caller('dan', dan),
      {
        name: 'reading key',
        token: (await people.key({ access: 'read' })).key,
        everything: true,
        reads: true,
      },
      { name: 'server key', token: (await people.key()).key, everything: true },
    ],
  };
}

/** The records a caller sees at a level, or the status of the refusal. */
export function seen(caller: Caller, at: Level, records: readonly Stored[]): readonly Stored[] | number {
  if (at === 'public' || caller.everything) return records;
  if (caller.user === undefined) return 401;
  if (at === 'user') return records.filter(({ owner }) => owner === caller.user);
  if (caller.workspace === null) return 403;
  return records.filter(({ workspace }) => workspace === caller.workspace);
}

export type Name = 'a' | 'b' | 'hub' | 'pins';

export interface Drawn {
  readonly ids: Readonly<Record<Name, string>>;
  readonly records: Readonly<Record<Name, readonly Stored[]>>;
}

const fields = { marker: { type: 'text' }, body: { type: 'content' }, code: { type: 'text', unique: true } };
const many = (to: string) => ({ type: 'relation', to, kind: 'multiple' });
const one = (to: string, onDelete = 'clear') => ({ type: 'relation', to, kind: 'single', onDelete });

const at = <T>(from: readonly T[], index: number) => from[index % from.length] as T;
const unique = <T>(items: readonly T[]) => [...new Set(items)];

/** Makes the collections and the records of a draw, with ids that are new in this run. */
export async function store({ people, holders }: Place, draw: Draw, run: number): Promise<Drawn> {
  const ids = { a: `a${run}`, b: `b${run}`, hub: `hub${run}`, pins: `pins${run}` };
  const define = async (id: string, more: JsonObject, levels: Levels | Level) => {
    const api =
      typeof levels === 'string'
        ? { access: levels }
        : { methods: Object.fromEntries(methods.map((method) => [method, { access: levels[method] }])) };
    resultOf(await people.manage('POST', '/collections', { id, fields: { ...fields, ...more }, api }), 201);
  };
  await define(ids.b, {}, draw.levels.b);
  await define(ids.a, { toB: many(ids.b) }, draw.levels.a);
  await define(ids.hub, { toA: one(ids.a), toB: many(ids.b) }, 'public');
  await define(ids.pins, { pin: one(ids.a, 'restrict') }, 'user');

  const tail = String(run).padStart(4, '0');
  const make = async (
    name: Name,
    index: number,
    holder: Holder,
    body: JsonObject,
    links: Partial<Stored>,
  ) => {
    const marker = `mk${name}${String(index).padStart(2, '0')}x${tail}z`;
    const code = `code${name}${index}`;
    const made = await people.records(
      'POST',
      ids[name],
      { ...body, marker, code, body: `text ${marker}`, _owner: holder.owner, _workspace: holder.workspace },
      asAdmin,
    );
    return { toA: [], toB: [], ...links, ...holder, marker, code, id: String(resultOf(made, 201)._id) };
  };
  const idsOf = (records: readonly Stored[]) => records.map(({ id }) => id);
  const b = await Promise.all(
    draw.b.map(({ holder }, index) => make('b', index, at(holders, holder), {}, {})),
  );
  const a = await Promise.all(
    draw.a.map((drawn, index) => {
      const toB = unique(drawn.toB.map((link) => at(b, link)));
      return make('a', index, at(holders, drawn.holder), { toB: idsOf(toB) }, { toB });
    }),
  );
  const hub = await Promise.all(
    draw.hub.map((drawn, index) => {
      const [toA, toB] = [at(a, drawn.toA), unique(drawn.toB.map((link) => at(b, link)))];
      return make('hub', index, at(holders, 6), { toA: toA.id, toB: idsOf(toB) }, { toA: [toA], toB });
    }),
  );
  const pins = await Promise.all(
    draw.pins.map(({ holder, pin }, index) => {
      const toA = at(a, pin);
      return make('pins', index, at(holders, holder), { pin: toA.id }, { toA: [toA] });
    }),
  );
  return { ids, records: { a, b, hub, pins } };
}
