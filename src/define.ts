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
 * The literal types are kept, so that `createClient<typeof shop>` knows every field. A type parameter accepts keys that its
 * constraint does not have; `Checked` rejects them.
 */
export function defineProject<const P extends ProjectDefinition>(project: P & Checked<P>): P {
  return project;
}

/** `Id`: the ids of its collections, the only ones that a relation can point to. */
export interface ProjectDefinition<Id extends string = string> {
  readonly id: string;
  /** The display name. If omitted, a new project gets its id, and an existing one keeps its name. */
  readonly name?: string;
  /** Settings that are omitted stay as they are. */
  readonly auth?: AuthDefinition;
  /** For how many days changes are kept. If omitted, 7 for a new project; an existing one keeps its setting. */
  readonly changes?: { readonly days: number };
  readonly collections: readonly CollectionDefinition<Id>[];
}

export interface AuthDefinition {
  /** Whether anybody can sign up. */
  readonly registration?: 'open' | 'closed';
  readonly accessTokenMinutes?: number;
  readonly refreshTokenDays?: number;
  /** Whether users may or must have a second factor. */
  readonly totp?: 'optional' | 'required';
  /** OpenID Connect providers that users can sign in with. A secret that is omitted stays as it is. */
  readonly providers?: readonly {
    readonly id: string;
    readonly name?: string;
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret?: string;
  }[];
  /** The exact URLs of the app to which providers' sign-ins may return. */
  readonly redirects?: readonly string[];
  /** Additional fields of the project's users. */
  readonly profile?: Readonly<Record<string, ProfileFieldDefinition>>;
  /** Whether the records of a deleted user are kept. */
  readonly onUserDelete?: 'keep' | 'delete';
  /** The texts of mails and the targets of their links. Replaced as a whole: what is omitted is unset. */
  readonly mail?: MailSettings;
}

type Profiled<Field> = Field extends unknown ? Omit<Field, 'unique'> & ServerWritten : never;
interface ServerWritten {
  /** Only server keys and management can set it; users can read it. */
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
  /** Whose records a caller sees and changes; the default is `user`. */
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

/** The keys of a field besides those of its type; an element of a list has none of them. */
type CommonKey = 'name' | 'required' | 'default' | 'unique' | 'index' | 'label' | 'description';
type Rules<Field> = Field extends unknown ? Omit<Field, CommonKey> : never;

interface Common<Value> {
  readonly required?: boolean;
  readonly default?: Value;
  readonly index?: boolean;
  readonly label?: string;
  readonly description?: string;
  /** The former name, whose values are carried over. Ignored once that is done. */
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
  /** What happens when the related record is deleted; the default is `clear`. */
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

/** `never` in the place of each error of a definition: an unknown key, a relation to a collection that does not exist. */
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

/** Rejects keys that `Shape` does not have. */
type Only<T, Shape> = { readonly [K in Exclude<keyof T, keyof Shape>]: never };

type CheckedFields<C, Id extends string> = C extends { readonly fields: infer Fields }
  ? { readonly [F in keyof Fields]: CheckedField<Fields[F], Id> }
  : unknown;

type CheckedField<F, Id extends string> = F extends { readonly type: 'list'; readonly of: infer Of }
  ? Only<F, ListDefinition> & { readonly of: Only<Of, RulesOf<Of>> }
  : Only<F, DefinitionOf<F, Id>> & (F extends { readonly to: string } ? { readonly to: Id } : unknown);

/** The definition selected by the `type` of a field. */
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
