import type { ReadTurn } from '../access/turns.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Json } from '../model/json.ts';
import type { Accounts } from './accounts.ts';
import type { LogStore } from './changes.ts';
import type {
  CollectionRef,
  DistinctPlan,
  ListAnswer,
  ListPlan,
  PickAnswer,
  PickPlan,
  Position,
  PositionPlan,
  ViewPlan,
  WalkAnswer,
  WalkPlan,
} from './plans.ts';
import type { Schema } from './schema.ts';
import type { ChangeAnswer, ChangePlan, DefinePlan, DropPlan, Progress } from './schema-plans.ts';
import type { Webhooks } from './webhooks.ts';
import type {
  BatchAnswer,
  BatchPlan,
  DeletePlan,
  DeletePreview,
  Idempotency,
  InsertPlan,
  LoadPlan,
  UpdatePlan,
} from './write-plans.ts';

/**
 * One project's database. `turn` is for reads whose cost grows with the collection, which the store knows before it begins:
 * such a read waits for its caller's turn, and ends when the signal is aborted or its time is up. Each method is one atomic step; a record is its finished JSON text. What takes a
 * collection does nothing but throw StaleSchema where that is of another schema than the current one, which another
 * process may have made a moment ago; and anything may throw ProjectGone.
 */
export interface Store {
  /** At once where the store can. */
  list(plan: ListPlan, turn?: ReadTurn): Awaitable<ListAnswer>;
  walk(plan: WalkPlan, turn?: ReadTurn): Promise<WalkAnswer>;
  /**
   * For a walk over everything in an order that no index has, so that it is sorted once and not once a page: the
   * places of all records in that order. undefined where walking is as good.
   */
  arrange(plan: Omit<ListPlan, 'offset' | 'key'>, turn?: ReadTurn): Promise<readonly number[] | undefined>;
  /** Those that still match, in the order of `seqs`. */
  pick(plan: PickPlan): Promise<PickAnswer>;
  view(plan: ViewPlan): Awaitable<string | undefined>;
  distinct(plan: DistinctPlan, turn?: ReadTurn): Promise<ReadonlyMap<string, readonly Json[]>>;
  insert(plan: InsertPlan): Promise<string>;
  /** undefined: there is no such record in scope. */
  update(plan: UpdatePlan): Promise<string | undefined>;
  delete(plan: DeletePlan): Promise<boolean>;
  /** Where a record is in a sort now; undefined where there is none at that place any more. */
  findPosition(plan: PositionPlan): Promise<Position | undefined>;
  /** What it would do. undefined: there is no such record in scope. */
  previewDelete(plan: DeletePlan): Promise<DeletePreview | undefined>;

  /**
   * All of it or, with the Failure of the first step that is refused, nothing. Where the signal says that nobody waits for it any
   * more, an engine may end it, and then nothing is written either.
   */
  batch(plan: BatchPlan, signal?: AbortSignal): Promise<BatchAnswer>;
  /** The results of an earlier request with this key. */
  findKept(idempotency: Idempotency): Promise<readonly string[] | undefined>;
  /** One transaction for as long as records come; other writes wait. For a store that nobody else uses. */
  load(plan: LoadPlan): Promise<void>;

  readonly accounts: Accounts;
  readonly log: LogStore;
  readonly webhooks: Webhooks;
  schema(): Promise<Schema>;
  /** Of the schema as it is now, in no more than a look-up. Throws ProjectGone when the project was deleted. */
  schemaVersion(): Promise<number>;
  createCollection(plan: DefinePlan): Promise<void>;
  changeCollection(plan: ChangePlan, progress: Progress): Promise<ChangeAnswer>;
  deleteCollection(plan: DropPlan): Promise<void>;
  /** Of one collection, or of all. */
  countRecords(collection?: CollectionRef): Promise<number>;
  close(): Promise<void>;
}
