import type { ReadTurn } from '../../../../access/turns.ts';
import type { User } from '../../../accounts.ts';
import type { Paged } from '../../../paged.ts';
import type { DistinctPlan, ListPlan, WalkAnswer, WalkPlan } from '../../../plans.ts';
import type { UserListPlan } from '../reads/list-users.ts';
import type { DistinctRead } from '../reads/sliced/distinct.ts';
import type { KnownTotal, ListRead } from '../reads/sliced/list.ts';

interface Call<Plan, Answer> {
  plan: Plan;
  answer: Answer;
}

/** Every kind of read whose cost grows with the collection, as plain data. */
export interface CollectionReads {
  list: Call<ListPlan & { readonly known?: KnownTotal | undefined }, ListRead>;
  walk: Call<WalkPlan, WalkAnswer>;
  arrange: Call<Omit<ListPlan, 'offset' | 'key'>, readonly number[]>;
  distinct: Call<DistinctPlan, DistinctRead>;
}

/** And those whose cost grows with the number of users. */
export interface ReadCalls extends CollectionReads {
  users: Call<UserListPlan, Paged<User>>;
}
export type ReadKind = keyof ReadCalls;

/** Reads one project's file off the serving thread. */
export interface ProjectReads {
  /** Ends soon after the signal is aborted and, unless unlimited, with a Failure when its time is up. */
  read<K extends ReadKind>(
    kind: K,
    plan: ReadCalls[K]['plan'],
    turn?: Pick<ReadTurn, 'signal' | 'unlimited'>,
  ): Promise<ReadCalls[K]['answer']>;
  close(): Promise<void>;
}

/** Performs expensive reads: in other threads, or in this one in slices. */
export interface Readers {
  open(path: string): ProjectReads;
  close(): Promise<void>;
}

/** Milliseconds after which an expensive read is ended. */
export const defaultQueryTimeout = 10_000;
