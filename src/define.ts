import type { ApiSettings, IndexDefinition, Level, Method, MethodSettings } from './model/collection.ts';
import type {
  BooleanField,
  ContentField,
  DatetimeField,
  EmailField,
  ListField,
  NumberField,
  OnDelete,
  RelationField,
  ScalarField,
  TextField,
  UrlField,
} from './model/field.ts';
import type { MailSettings } from './model/mail-settings.ts';

/**
 * The types of the file that `vitrine apply` takes, so that an editor completes and checks every key:
 *
 *     import { defineProject } from 'vitrine/define';
 *     export default defineProject({ id: 'shop', collections: [{ id: 'brands', fields: { … } }] });
 *
 * The literal types are kept, so that `createClient<typeof shop>` knows every field. A type parameter takes keys that its
 * constraint does not have: `Checked` refuses them.
 */
export function defineProject<const P extends ProjectDefinition>(project: P & Checked<P>): P {
  return project;
}

/** `Id`: the ids of its collections, which are all that a relation can point to. */
export interface ProjectDefinition<Id extends string = string> {
  readonly id: string;
  /** Shown to people; without it, the id for a new project, and what it is now for another. */
  readonly name?: string;
  /** What is left out stays as it is. */
  readonly auth?: AuthDefinition;
  /** For how many days changes are kept; without it, 7 for a new project, and what it is now for another. */
  readonly changes?: { readonly days: number };
  readonly collections: readonly CollectionDefinition<Id>[];
}

export interface AuthDefinition {
  /** May anybody sign up? */
  readonly registration?: 'open' | 'closed';
  readonly accessTokenMinutes?: number;
  readonly refreshTokenDays?: number;
  /** A second factor for those who want one, or for everybody. */
  readonly totp?: 'optional' | 'required';
  /** Those at whom users may sign in, by OpenID Connect. Without a secret, the one that is there is kept. */
  readonly providers?: readonly {
    readonly id: string;
    readonly name?: string;
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret?: string;
  }[];
  /** The exact addresses of the app, to which they come back. */
  readonly redirects?: readonly string[];
  /** Fields of the project's own on its users. */
  readonly profile?: Readonly<Record<string, ProfileFieldDefinition>>;
  /** Whether the records of a deleted user stay. */
  readonly onUserDelete?: 'keep' | 'delete';
  /** What mails say and where their links lead: as a whole, what is not named is not set. */
  readonly mail?: MailSettings;
}

type Profiled<Field> = Field extends unknown ? Omit<Field, 'unique'> & ServerWritten : never;
interface ServerWritten {
  /** Set by server keys and management alone; users read it. */
  readonly write?: 'server';
}
export type ProfileFieldDefinition = Profiled<Exclude<FieldDefinition, { readonly type: 'relation' }>>;

export interface CollectionDefinition<Id extends string = string> {
  readonly id: Id;
  readonly name?: string;
  readonly fields?: Readonly<Record<string, FieldDefinition<NoInfer<Id>>>>;
  readonly indexes?: readonly IndexDefinition[];
  readonly api?: ApiDefinition;
}

export interface ApiDefinition {
  /** Whose records a caller sees and changes; `user` where it is left out. */
  readonly access?: ApiSettings['access'];
  readonly methods?: MethodDefinitions;
}

type Access = Level | 'inherit';
type Levelled = Exclude<Method, 'distinct' | 'export' | 'changes' | 'batch'>;
type MethodDefinitions = Readonly<
  Partial<Record<Levelled, { readonly enabled?: boolean; readonly access?: Access }>>
> & {
  readonly distinct?: MethodSettings;
  readonly export?: { readonly enabled?: boolean };
  readonly changes?: { readonly enabled?: boolean };
  readonly batch?: { readonly enabled?: boolean };
};

/** The keys that a field has beside those of its type; an element of a list has none of them. */
type CommonKey = 'name' | 'required' | 'default' | 'unique' | 'index' | 'label' | 'description';
type Rules<Field> = Field extends unknown ? Omit<Field, CommonKey> : never;

interface Common<Value> {
  readonly required?: boolean;
  readonly default?: Value;
  readonly index?: boolean;
  readonly label?: string;
  readonly description?: string;
  /** The name it had: its values are carried over. Ignored once that is done. */
  readonly renamedFrom?: string;
}

interface Single<Value> extends Common<Value> {
  /** No two records have the same value; unset ones never collide. */
  readonly unique?: boolean;
}

export interface TextDefinition extends Rules<TextField>, Single<string> {}
export interface EmailDefinition extends Rules<EmailField>, Single<string> {}
export interface UrlDefinition extends Rules<UrlField>, Single<string> {}
export interface ContentDefinition extends Rules<ContentField>, Common<string> {}
export interface NumberDefinition extends Rules<NumberField>, Single<number> {}
export interface BooleanDefinition extends Rules<BooleanField>, Single<boolean> {}
/** ISO 8601 with an offset or Z, or a date alone. */
export interface DatetimeDefinition extends Rules<DatetimeField>, Single<string> {}

interface ListOf<Element, Value> extends Omit<Rules<ListField>, 'of'>, Common<readonly Value[]> {
  readonly of: Rules<Element>;
}
export type ListDefinition =
  | ListOf<TextField | EmailField | UrlField | ContentField | DatetimeField, string>
  | ListOf<NumberField, number>
  | ListOf<BooleanField, boolean>;

interface Relation<Id extends string> {
  readonly type: 'relation';
  readonly to: Id;
  /** What a deletion of the related record does; `clear` where it is left out. */
  readonly onDelete?: OnDelete;
}
export interface SingleRelationDefinition<Id extends string = string>
  extends Relation<Id>,
    Omit<Single<never>, 'default'> {
  readonly kind?: 'single';
}
export interface MultipleRelationDefinition<Id extends string = string>
  extends Relation<Id>,
    Pick<RelationField, 'minItems' | 'maxItems'>,
    Omit<Common<never>, 'default'> {
  readonly kind: 'multiple';
}

export type FieldDefinition<Id extends string = string> =
  | TextDefinition
  | EmailDefinition
  | UrlDefinition
  | ContentDefinition
  | NumberDefinition
  | BooleanDefinition
  | DatetimeDefinition
  | ListDefinition
  | SingleRelationDefinition<Id>
  | MultipleRelationDefinition<Id>;

type Ids<P extends ProjectDefinition> = P['collections'][number]['id'];

/** What is wrong about a definition as `never` at its place: a key that is not known, a relation that leads nowhere. */
type Checked<P extends ProjectDefinition> = Only<P, ProjectDefinition> & {
  readonly collections: CheckedCollections<P['collections'], Ids<P>>;
};

type CheckedCollections<Collections extends readonly unknown[], Id extends string> = {
  readonly [I in keyof Collections]: Collections[I] &
    Only<Collections[I], CollectionDefinition> & {
      readonly fields?: CheckedFields<Collections[I], Id>;
      readonly api?: CheckedApi<Collections[I]>;
    };
};

/** No key beside those of `Shape`. */
type Only<T, Shape> = { readonly [K in Exclude<keyof T, keyof Shape>]: never };

type CheckedFields<C, Id extends string> = C extends { readonly fields: infer Fields }
  ? { readonly [F in keyof Fields]: CheckedField<Fields[F], Id> }
  : unknown;

type CheckedField<F, Id extends string> = F extends { readonly type: 'list'; readonly of: infer Of }
  ? Only<F, ListDefinition> & { readonly of: Only<Of, RulesOf<Of>> }
  : Only<F, DefinitionOf<F, Id>> & (F extends { readonly to: string } ? { readonly to: Id } : unknown);

/** The definition that the type of a field selects. */
type DefinitionOf<F, Id extends string> = F extends { readonly kind: 'multiple' }
  ? MultipleRelationDefinition<Id>
  : F extends { readonly type: infer Type }
    ? Exclude<Extract<FieldDefinition<Id>, { readonly type: Type }>, { readonly kind: 'multiple' }>
    : never;
type RulesOf<Of> = Of extends { readonly type: infer Type }
  ? Rules<Extract<ScalarField, { readonly type: Type }>>
  : never;

type CheckedApi<C> = C extends { readonly api: infer Api }
  ? Only<Api, ApiDefinition> & {
      readonly methods?: Api extends { readonly methods: infer Methods } ? CheckedMethods<Methods> : unknown;
    }
  : unknown;
type CheckedMethods<Methods> = {
  readonly [M in keyof Methods]: M extends keyof MethodDefinitions
    ? Only<Methods[M], NonNullable<MethodDefinitions[M]>>
    : never;
};
