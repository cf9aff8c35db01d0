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
 * One project's database. Each method is one atomic step; a record is its finished JSON text. `turn` is for reads whose cost
 * grows with the collection, which the store knows before it begins: such a read waits for its caller's turn, and ends when the
 * signal is aborted or its time is up. Whatever takes a collection throws StaleSchema, and does nothing, where that collection
 * is not of the current schema, which another process may have changed a moment ago. Anything may throw ProjectGone.
 */
export interface Store {
  /** Without a promise where the store can answer at once. */
  list(plan: ListPlan, turn?: ReadTurn): Awaitable<ListAnswer>;
  walk(plan: WalkPlan, turn?: ReadTurn): Promise<WalkAnswer>;
  /**
   * For a walk over everything in an order that no index has: the places of all records in that order, so that they are sorted
   * once and not for every page. undefined where walking is as good.
   */
  arrange(plan: Omit<ListPlan, 'offset' | 'key'>, turn?: ReadTurn): Promise<readonly number[] | undefined>;
  /** The records that still match, in the order of `seqs`. */
  pick(plan: PickPlan): Promise<PickAnswer>;
  view(plan: ViewPlan): Awaitable<string | undefined>;
  distinct(plan: DistinctPlan, turn?: ReadTurn): Promise<ReadonlyMap<string, readonly Json[]>>;
  insert(plan: InsertPlan): Promise<string>;
  /** undefined: there is no such record in scope. */
  update(plan: UpdatePlan): Promise<string | undefined>;
  delete(plan: DeletePlan): Promise<boolean>;
  /** Where a record stands in a sort now; undefined where there is no record at that place any more. */
  findPosition(plan: PositionPlan): Promise<Position | undefined>;
  /** What the deletion would do. undefined: there is no such record in scope. */
  previewDelete(plan: DeletePlan): Promise<DeletePreview | undefined>;

  /**
   * All of it or, with the Failure of the first step that is refused, nothing. Once the signal says that nobody waits for it
   * any more, an engine may give up, and then nothing is written either.
   */
  batch(plan: BatchPlan, signal?: AbortSignal): Promise<BatchAnswer>;
  /** The results of an earlier request with this idempotency key. */
  findKept(idempotency: Idempotency): Promise<readonly string[] | undefined>;
  /** One transaction that lasts until no more records come; other writes wait. For a store that nobody else uses. */
  load(plan: LoadPlan): Promise<void>;

  readonly accounts: Accounts;
  readonly log: LogStore;
  readonly webhooks: Webhooks;
  schema(): Promise<Schema>;
  /** The version of the current schema, at the cost of a look-up. Throws ProjectGone if the project was deleted. */
  schemaVersion(): Promise<number>;
  createCollection(plan: DefinePlan): Promise<void>;
  changeCollection(plan: ChangePlan, progress: Progress): Promise<ChangeAnswer>;
  deleteCollection(plan: DropPlan): Promise<void>;
  /** In one collection, or in all of them. */
  countRecords(collection?: CollectionRef): Promise<number>;
  close(): Promise<void>;
}
