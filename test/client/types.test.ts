import { it } from 'node:test';
import { createClient, type ExportOptions, related, type TypesOf } from '../../client/client.ts';
import type { shop } from './shop.ts';

/** Two types are one: neither is merely assignable to the other. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Equal<A, B>): void {}

const v = createClient<typeof shop>('http://127.0.0.1', { project: 'shop' });
type Product = Awaited<ReturnType<typeof v.products.view>>;

/** The compiler is the test: none of this is run. */
async function checked(): Promise<void> {
  same<Product['title'], string>(true);
  same<Product['price'], number | null>(true);
  same<Product['status'], 'draft' | 'live' | null>(true);
  same<Product['inStock'], boolean>(true);
  same<Product['releasedAt'], string | null>(true);
  same<Product['tags'], string[]>(true);
  same<Product['sizes'], number[]>(true);
  same<Product['brand'], string | null>(true);
  same<Product['brands'], string[]>(true);

  same<
    Parameters<typeof v.products.export<'title'>>[1],
    ExportOptions<TypesOf<typeof shop>['products'], 'title'> | undefined
  >(true);

  const whole = await v.products.list();
  same<(typeof whole.found)[number], Product>(true);
  // @ts-expect-error nothing was included
  whole._include;

  const page = await v.products.list({
    where: { status: ['live', 'draft'], price: { '>=': 10, '<': 100 }, tags: { '!=': 'old' }, brand: null },
    sort: ['-price', 'title'],
    fields: ['title', 'price'],
    include: ['brand', 'brand.country', 'parent.parent.brand', 'brands'],
    page: 2,
  });
  same<(typeof page.found)[number], { _id: string; title: string; price: number | null }>(false);
  const [first] = page.found;
  if (first) {
    same<typeof first.title, string>(true);
    same<typeof first._id, string>(true);
    // @ts-expect-error not one of the fields
    first.status;
    // @ts-expect-error the relation is not one of the fields either, so that nothing would ever be found
    related(page, first, 'brand');
  }
  same<(typeof page._include)['brand.country'][number]['name'], string>(true);
  same<(typeof page._include)['parent.parent.brand'][number]['country'], string | null>(true);
  // @ts-expect-error not included
  page._include.parent;

  const full = await v.products.list({ include: ['brand', 'brands', 'brand.country'] });
  for (const product of full.found) {
    const brand = related(full, product, 'brand');
    same<typeof brand, Awaited<ReturnType<typeof v.brands.view>> | undefined>(true);
    const brands = related(full, product, 'brands');
    same<typeof brands, Awaited<ReturnType<typeof v.brands.view>>[]>(true);
    if (brand) same<NonNullable<ReturnType<typeof countryOf>>['name'], string>(true);
    function countryOf() {
      return brand && related(full, brand, 'brand.country');
    }
  }
}

async function refused(): Promise<void> {
  // @ts-expect-error = on a datetime
  await v.products.list({ where: { releasedAt: '2026-01-01' } });
  // @ts-expect-error also when it is spelled out
  await v.products.list({ where: { releasedAt: { '=': '2026-01-01' } } });
  await v.products.list({ where: { releasedAt: '' } });
  await v.products.list({ where: { releasedAt: { '!=': null, '>=': new Date(), '<': '2026-01-01' } } });
  // @ts-expect-error a number is not a text
  await v.products.list({ where: { price: '10' } });
  // @ts-expect-error a number takes one value
  await v.products.list({ where: { price: [1, 2] } });
  await v.products.list({ where: { price: { '!=': [1, 2] } } });
  // @ts-expect-error a text has no order
  await v.products.list({ where: { title: { '>': 'a' } } });
  // @ts-expect-error not one of the options
  await v.products.list({ where: { status: 'gone' } });
  // @ts-expect-error an element of the list is a number
  await v.products.list({ where: { sizes: 'XL' } });
  await v.products.list({ where: { sizes: [1, 2], inStock: true, _id: ['a'], _createdAt: { '>': '2026' } } });
  // @ts-expect-error no such field
  await v.products.list({ where: { colour: 'red' } });
  // @ts-expect-error what holds several values has no order
  await v.products.list({ sort: 'tags' });
  // @ts-expect-error no such field
  await v.products.list({ sort: ['-colour'] });
  // @ts-expect-error no such field
  await v.products.list({ fields: ['colour'] });
  // @ts-expect-error not a relation
  await v.products.list({ include: ['title'] });
  // @ts-expect-error four relations deep
  await v.products.list({ include: ['parent.parent.parent.brand'] });
  // @ts-expect-error a walk has no pages to choose from
  v.products.all({ page: 2 });
  // @ts-expect-error no such collection
  await v.product?.list();
}

async function payloads(): Promise<void> {
  await v.products.create({ title: 'Lamp', brand: null, tags: ['x'] as const, _owner: 'someone' });
  // @ts-expect-error the title is required
  await v.products.create({ price: 1 });
  // @ts-expect-error null does not satisfy it
  await v.products.create({ title: null });
  // @ts-expect-error no such field
  await v.products.create({ title: 'Lamp', colour: 'red' });
  // @ts-expect-error not one of the options
  await v.products.create({ title: 'Lamp', status: 'gone' });
  // @ts-expect-error given by the service
  await v.products.create({ title: 'Lamp', _id: 'x' });
  await v.products.update('id', { price: null }, { ifUnchanged: await v.products.view('id') });
  // @ts-expect-error what is required can't be unset
  await v.products.update('id', { title: null });
  const { brand, tags, price } = await v.products.distinct(['brand', 'tags', 'price']);
  same<[typeof brand, typeof tags, typeof price], [string[], string[], number[]]>(true);
  const [result] = await v.batch((b) => {
    const made = b.brands.create({ name: 'Philips' });
    b.products.create({ title: 'Lamp', brand: made, brands: [made, 'id'] });
    // @ts-expect-error a title is no relation
    b.products.create({ title: made });
  });
  // That of a deletion has nothing else.
  if (result) same<[typeof result._id, typeof result._createdAt], [string, string | undefined]>(true);
  // No 'void': to those who check for it, that would refuse one that is async.
  same<ReturnType<Parameters<typeof v.batch>[0]>, unknown>(true);
  same<ReturnType<Parameters<typeof v.products.batch>[0]>, unknown>(true);
  for await (const change of v.products.changes({ fields: ['title'] })) {
    if (change.kind === 'create' || change.kind === 'update') same<typeof change.record.title, string>(true);
    else same<typeof change.record, null>(true);
  }
}

async function followed(): Promise<void> {
  for await (const change of v.changes({ collections: ['brands', 'products'] })) {
    if (change.kind === 'create' && change.collection === 'products')
      same<typeof change.record.price, number | null>(true);
    // @ts-expect-error not one of those that were asked for
    if (change.collection === 'notes') return;
  }
}

it('the types of a project are those of its definition', () => {
  void [checked, refused, payloads, followed];
});

// What `vitrine types` writes gives the same.

interface Brand {
  readonly _id: string;
  readonly _createdAt: string;
  readonly _updatedAt: string;
  name: string;
}
interface Shop {
  readonly brands: {
    readonly record: Brand;
    readonly create: { readonly name: string };
    readonly update: { readonly name?: string };
    readonly fields: { readonly name: 'text' };
  };
  readonly products: {
    readonly record: Brand & { price: number | null; brand: string | null };
    readonly create: {
      readonly name: string;
      readonly price?: number | null;
      readonly brand?: string | null;
    };
    readonly update: { readonly name?: string; readonly price?: number | null };
    readonly fields: {
      readonly name: 'text';
      readonly price: 'number';
      readonly brand: { readonly to: 'brands' };
    };
  };
}

async function generated(): Promise<void> {
  const client = createClient<Shop>('http://127.0.0.1', { project: 'shop' });
  const page = await client.products.list({
    where: { price: { '>': 1 } },
    fields: ['name'],
    include: ['brand'],
  });
  same<(typeof page)['_include']['brand'][number]['name'], string>(true);
  same<(typeof page.found)[number]['name'], string>(true);
  // @ts-expect-error a number is not a text
  await client.products.list({ where: { price: 'x' } });
}

async function untyped(name: string): Promise<void> {
  const client = createClient('http://127.0.0.1', { project: 'shop' });
  const page = await client
    .collection(name)
    .list({ where: { x: { '>=': 1 } }, include: ['a.b'], sort: '-x' });
  same<(typeof page.found)[number]['x'], import('../../client/client.ts').Json>(true);
  same<(typeof page._include)['a.b'][number], import('../../client/client.ts').UntypedRecord>(true);
  for (const record of page.found) related(page, record, 'a.b')?.name;
  await client.anything?.create({ x: 1, y: ['z'] });
  await v.collection(name).create({ x: 1 });
}

it('and those of a generated file; without either, any name goes', () => {
  void [generated, untyped];
});
