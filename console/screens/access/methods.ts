import type { Definition, Level } from '../../../client/admin.ts';

export const methods = [
  'viewAll',
  'view',
  'create',
  'update',
  'delete',
  'distinct',
  'export',
  'batch',
  'changes',
] as const;
export type MethodName = (typeof methods)[number];

export const requests: Readonly<Record<MethodName, string>> = {
  viewAll: 'GET …',
  view: 'GET …/:id',
  create: 'POST …',
  update: 'PATCH …/:id',
  delete: 'DELETE …/:id',
  distinct: 'GET …/distinct',
  export: 'GET …/export',
  batch: 'POST …/batch',
  changes: 'GET …/_changes',
};

export const levels: readonly Level[] = ['public', 'user', 'workspace'];

export type Api = NonNullable<Definition['api']>;

/** Whether a method has its own level. Export and changes use that of View All, and a batch those of its operations. */
export const hasLevel = (method: MethodName) => !['export', 'batch', 'changes'].includes(method);

export const collectionLevel = (api: Api = {}): Level => api.access ?? 'user';

export const isOn = (api: Api = {}, method: MethodName) => api.methods?.[method]?.enabled ?? true;

export const ownLevel = (api: Api = {}, method: MethodName): Level | 'inherit' =>
  api.methods?.[method]?.access ?? 'inherit';

export function levelOf(api: Api = {}, method: MethodName): Level {
  const own = ownLevel(api, method);
  return own === 'inherit' ? collectionLevel(api) : own;
}

const writes: readonly MethodName[] = ['create', 'update', 'delete'];

export const isPublicWrite = (api: Api, method: MethodName) =>
  writes.includes(method) && isOn(api, method) && levelOf(api, method) === 'public';

interface Change {
  readonly enabled?: boolean;
  readonly access?: Level | 'inherit';
  readonly fields?: readonly string[];
}

/** Leaves defaults out of the definition. */
export function withMethod(api: Api, method: MethodName, change: Change): Api {
  const { enabled = true, access = 'inherit', fields = [] } = { ...api.methods?.[method], ...change };
  const settings = {
    ...(!enabled && { enabled }),
    ...(access !== 'inherit' && { access }),
    ...(fields.length > 0 && { fields }),
  };
  const { [method]: _, ...others } = api.methods ?? {};
  const all = Object.keys(settings).length === 0 ? others : { ...others, [method]: settings };
  const { methods: __, ...rest } = api;
  return Object.keys(all).length === 0 ? rest : { ...rest, methods: all };
}

/** All settings of a method, with the defaults filled in. */
const settingsOf = (api: Api, method: MethodName) => ({
  enabled: isOn(api, method),
  access: ownLevel(api, method),
  fields: api.methods?.[method]?.fields ?? [],
});

const sameMethod = (one: Api, other: Api, method: MethodName) =>
  JSON.stringify(settingsOf(one, method)) === JSON.stringify(settingsOf(other, method));

export const sameApi = (one: Api = {}, other: Api = {}) =>
  collectionLevel(one) === collectionLevel(other) &&
  methods.every((method) => sameMethod(one, other, method));

/** Applies the differences between `from` and `to` to `others`. */
export function onTop(from: Api, to: Api, others: Api): Api {
  const isLevel = collectionLevel(from) !== collectionLevel(to);
  return methods
    .filter((method) => !sameMethod(from, to, method))
    .reduce(
      (api, method) => withMethod(api, method, settingsOf(to, method)),
      isLevel ? { ...others, access: collectionLevel(to) } : others,
    );
}
