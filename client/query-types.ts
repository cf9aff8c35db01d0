import type { Bindings, CollectionTypes, Json, ProjectTypes, Simplify, UntypedCollection } from './types.ts';

/** What can be asked of any collection, wherever its types came from. */

/** Names that `fields` takes. */
export type FieldName<C extends CollectionTypes> = Extract<keyof C['record'] | keyof Bindings, string>;

/** Names of fields that hold one value: what holds several has no order. */
type Sortable<C extends CollectionTypes> = {
  [F in keyof C['record']]-?: C['record'][F] extends readonly unknown[] ? never : F;
}[keyof C['record']] &
  string;
export type Sort<C extends CollectionTypes> = Sortable<C> | `-${Sortable<C>}`;

/** The record, or, where `fields` was given, `_id` and those. */
export type Picked<C extends CollectionTypes, F extends string> = [F] extends [never]
  ? C['record']
  : Simplify<Pick<C['record'] & Bindings, Extract<F | '_id', keyof (C['record'] & Bindings)>>>;

type Moment = string | Date;
type Unset = '' | null;
type Many<V> = V | Unset | readonly (V | Unset)[] | undefined;

interface Equality<V> {
  readonly '='?: Many<V>;
  readonly '!='?: Many<V>;
}
interface Order<V> {
  readonly '>'?: V | undefined;
  readonly '>='?: V | undefined;
  readonly '<'?: V | undefined;
  readonly '<='?: V | undefined;
}
interface OnlyOne<V> {
  readonly '='?: V | Unset | undefined;
  readonly '!='?: Many<V>;
}
interface OnlyUnset {
  readonly '='?: Unset | undefined;
  readonly '!='?: Unset | undefined;
}

type ElementOf<V> = V extends readonly (infer E)[] ? E : V;

/** What a field can be asked about. '' and null stand for unset. */
export type Condition<Kind, V> = Kind extends 'number'
  ? number | Unset | (OnlyOne<number> & Order<number>)
  : Kind extends 'datetime'
    ? Unset | (OnlyUnset & Order<Moment>)
    : Kind extends 'boolean'
      ? boolean | Unset | OnlyOne<boolean>
      : Many<V> | Equality<V>;

interface ServiceConditions {
  readonly _id?:
    | string
    | readonly string[]
    | { readonly '='?: string | readonly string[]; readonly '!='?: string | readonly string[] }
    | undefined;
  readonly _createdAt?: Order<Moment> | undefined;
  readonly _updatedAt?: Order<Moment> | undefined;
  readonly _owner?: Many<string> | Equality<string>;
  readonly _workspace?: Many<string> | Equality<string>;
}

type UntypedValue = string | number | boolean | Date;
type UntypedCondition = Many<UntypedValue> | (Equality<UntypedValue> & Order<UntypedValue>);

export type Where<C extends CollectionTypes> = string extends keyof C['record']
  ? { readonly [field: string]: UntypedCondition }
  : ServiceConditions & {
      readonly [F in keyof C['fields']]?:
        | Condition<C['fields'][F], ElementOf<NonNullable<C['record'][F & keyof C['record']]>>>
        | undefined;
    };

/** Where the relations of a collection lead. */
type Relations<C extends CollectionTypes> = {
  readonly [F in keyof C['fields'] as C['fields'][F] extends { readonly to: string }
    ? F
    : never]: C['fields'][F] extends {
    readonly to: infer To;
  }
    ? To
    : never;
};

/** A relation whose target is not in the types leads to an untyped collection. */
type At<P extends ProjectTypes, N> = [N] extends [never]
  ? UntypedCollection
  : N extends keyof P
    ? P[N]
    : UntypedCollection;

/** `brand`, `brand.country`: at most three relations deep, which the tuple counts. */
export type IncludePath<
  P extends ProjectTypes,
  C extends CollectionTypes,
  Depth extends unknown[] = [1, 2],
> = string extends keyof C['record']
  ? string
  : {
      [R in keyof Relations<C> & string]:
        | R
        | (Depth extends [unknown, ...infer Less]
            ? `${R}.${IncludePath<P, At<P, Relations<C>[R]>, Less>}`
            : never);
    }[keyof Relations<C> & string];

/** The collection that a path ends in. */
type Target<
  P extends ProjectTypes,
  C extends CollectionTypes,
  Path extends string,
> = Path extends `${infer Head}.${infer Tail}`
  ? Target<P, At<P, Relations<C>[Head & keyof Relations<C>]>, Tail>
  : At<P, Relations<C>[Path & keyof Relations<C>]>;

export type Included<P extends ProjectTypes, C extends CollectionTypes, I extends string> = {
  readonly [Path in I]: Target<P, C, Path>['record'][];
};

/** `_include` is there where `include` was asked for. */
type WithIncluded<P extends ProjectTypes, C extends CollectionTypes, I extends string> = [I] extends [never]
  ? unknown
  : { readonly _include: Included<P, C, I> };

export type Page<P extends ProjectTypes, C extends CollectionTypes, F extends string, I extends string> = {
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
  readonly totalPages: number;
  readonly found: Picked<C, F>[];
} & WithIncluded<P, C, I>;

export type CursorPage<
  P extends ProjectTypes,
  C extends CollectionTypes,
  F extends string,
  I extends string,
> = {
  readonly perPage: number;
  /** Where the next page begins; null at the end. */
  readonly next: string | null;
  readonly found: Picked<C, F>[];
} & WithIncluded<P, C, I>;

/** In a batch: the `_id` of a record that an earlier operation of it creates. */
export interface Ref {
  readonly $ref: string;
}

/** A payload in which relations may also name records that the same batch creates. */
export type WithRefs<C extends CollectionTypes, Payload> = string extends keyof C['record']
  ? { readonly [field: string]: Json | Ref }
  : {
      readonly [F in keyof Payload]: F extends keyof Relations<C>
        ? Payload[F] | (NonNullable<Payload[F]> extends readonly unknown[] ? readonly (string | Ref)[] : Ref)
        : Payload[F];
    };

export type CreatePayload<C extends CollectionTypes> = C['create'] & Partial<Bindings>;
export type UpdatePayload<C extends CollectionTypes> = C['update'] & Partial<Bindings>;
