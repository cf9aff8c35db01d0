/**
 * What a client knows of a project. It comes from one of two places:
 *
 * - from the definition itself: `createClient<typeof shop>(…)`, where `shop` is what `defineProject` gave;
 * - from a generated file: `vitrine types` writes one entry for each collection, in this shape:
 *
 *       export interface Shop {
 *         readonly brands: { readonly record: Brand; readonly create: BrandCreate; readonly update: BrandUpdate;
 *           readonly fields: { readonly name: 'text'; readonly country: { readonly to: 'countries' } } };
 *         readonly products: { … };
 *       }
 *
 *   `record` has `_id`, `_createdAt`, `_updatedAt` and every field: `T`, `T | null` where it is not required, an array for a list or
 *   a multiple relation (`readonly` in payloads, not in records). `create` has what Create takes, `update` what Update takes: `T`, or `T | null` where it is not
 *   required, and `?` where it may be left out. `fields` says of each field its type, and of a relation where it leads. Where a text has
 *   `options`, they are a union in all three.
 */
export interface CollectionTypes {
  readonly record: ServiceFields;
  readonly create: object;
  readonly update: object;
  readonly fields: Readonly<Record<string, FieldKind>>;
}

export type FieldKind = ScalarKind | 'list' | { readonly to: string };
export type ScalarKind = 'text' | 'email' | 'url' | 'content' | 'number' | 'boolean' | 'datetime';

export type ProjectTypes = Readonly<Record<string, CollectionTypes>>;

/** The fields that the service adds to every record. */
export interface ServiceFields {
  readonly _id: string;
  readonly _createdAt: string;
  readonly _updatedAt: string;
}

/** In a record only where `fields` names them; in a payload for server keys and the administrator. */
export interface Bindings {
  readonly _owner: string | null;
  readonly _workspace: string | null;
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A record of which nothing is known before it is there. */
export interface UntypedRecord extends ServiceFields {
  readonly [field: string]: Json;
}

export interface UntypedCollection {
  readonly record: UntypedRecord;
  readonly create: { readonly [field: string]: Json };
  readonly update: { readonly [field: string]: Json };
  // biome-ignore lint/complexity/noBannedTypes: no field is known, and any name is taken where `record` has them all
  readonly fields: {};
}

export type UntypedProject = Readonly<Record<string, UntypedCollection>>;

/** The definition of a project, or types that were generated from it, as types of its collections. */
export type TypesOf<P> = P extends { readonly collections: readonly (infer C)[] }
  ? { readonly [D in C as D extends { readonly id: infer Id extends string } ? Id : never]: Defined<D> }
  : { readonly [N in keyof P]: P[N] extends CollectionTypes ? P[N] : never };

type Fields = Readonly<Record<string, { readonly type: string }>>;
type FieldsOf<D> = D extends { readonly fields: infer F extends Fields } ? F : Record<never, never>;

/** A collection as its definition has it. */
export interface Defined<D> {
  readonly record: Simplify<ServiceFields & { -readonly [F in keyof FieldsOf<D>]: Stored<FieldsOf<D>[F]> }>;
  readonly create: Simplify<
    { readonly [F in keyof FieldsOf<D> as Needed<FieldsOf<D>[F], F, never>]: Written<FieldsOf<D>[F]> } & {
      readonly [F in keyof FieldsOf<D> as Needed<FieldsOf<D>[F], never, F>]?: Written<FieldsOf<D>[F]>;
    }
  >;
  readonly update: { readonly [F in keyof FieldsOf<D>]?: Written<FieldsOf<D>[F]> };
  readonly fields: { readonly [F in keyof FieldsOf<D>]: KindOf<FieldsOf<D>[F]> };
}

export type Simplify<T> = { [K in keyof T]: T[K] };

/** `Then` where Create has to be given the field. */
type Needed<F, Then, Else> = F extends { readonly required: true }
  ? F extends { readonly default: unknown }
    ? Else
    : Then
  : Else;

type KindOf<F> = F extends { readonly type: 'relation'; readonly to: infer To extends string }
  ? { readonly to: To }
  : F extends { readonly type: infer T extends ScalarKind | 'list' }
    ? T
    : never;

type Scalar<F> = F extends { readonly options: readonly (infer O)[] }
  ? O
  : F extends { readonly type: 'number' }
    ? number
    : F extends { readonly type: 'boolean' }
      ? boolean
      : string;

/** As it is in a record: a plural one is never null, a required one neither. */
type Stored<F> = F extends { readonly type: 'list'; readonly of: infer Of }
  ? Scalar<Of>[]
  : F extends { readonly type: 'relation'; readonly kind: 'multiple' }
    ? string[]
    : F extends { readonly required: true }
      ? Scalar<F>
      : Scalar<F> | null;

type Written<F> = Given<Stored<F>> | (F extends { readonly required: true } ? never : null);
type Given<V> = V extends readonly (infer E)[] ? readonly E[] : V;
