import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Admin, VitrineError } from '../../../client/admin.ts';
import type { Good } from './row-batches.ts';

export type Records = ReturnType<Admin['records']>['collection'] extends (name: string) => infer C
  ? C
  : never;

/** The part of a created record by which it is found again. */
export interface Made {
  readonly _id: string;
  readonly _createdAt: string;
}

/** Seconds before each retry; together as long as a server takes to restart. */
export const patiently: readonly number[] = [1, 2, 4, 8];

/** No response, or one that does not tell the outcome: the batch may have been done. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof VitrineError && (error.status < 400 || error.status === 408 || error.status >= 500);

export async function createBatch(records: Records, rows: readonly Good[]): Promise<readonly Made[]> {
  const { created } = await untilKnown(patiently, (idempotencyKey) =>
    records.batch(
      (batch) => {
        for (const { body } of rows) batch.create(body);
      },
      { idempotencyKey },
    ),
  );
  return created.map(({ _id, _createdAt }) => ({ _id, _createdAt }));
}

/** Deletes written records, and removes those that are gone from `left`. Throws when the server does not respond properly. */
export async function deleteAgain(
  records: Records,
  written: readonly (readonly Made[])[],
  left: Set<string>,
  pauses: readonly number[],
): Promise<void> {
  // In the batches in which they were written: the server accepts that many at a time.
  for (const made of written) {
    await deleteBatch(
      made.map(({ _id }) => _id),
      { records, left, pauses },
    );
  }
}

interface Deleting {
  readonly records: Records;
  readonly left: Set<string>;
  readonly pauses: readonly number[];
}

/** A batch that is refused is split in halves: some record may be deleted already, or another may point to it. */
async function deleteBatch(ids: readonly string[], deleting: Deleting): Promise<void> {
  const { records, left, pauses } = deleting;
  try {
    await untilKnown(pauses, (idempotencyKey) =>
      records.batch(
        (batch) => {
          for (const id of ids) batch.delete(id);
        },
        { idempotencyKey },
      ),
    );
    for (const id of ids) left.delete(id);
  } catch (error) {
    if (!(error instanceof VitrineError) || ![404, 409].includes(error.status)) throw error;
    const half = Math.ceil(ids.length / 2);
    if (ids.length > 1) {
      await deleteBatch(ids.slice(0, half), deleting);
      await deleteBatch(ids.slice(half), deleting);
    } else if (error.status === 404) for (const id of ids) left.delete(id);
  }
}

/** Retries until the outcome is known. With the same idempotency key, a batch is done only once. */
async function untilKnown<T>(pauses: readonly number[], send: (key: string) => Promise<T>): Promise<T> {
  const key = randomUUID();
  for (const seconds of pauses) {
    try {
      return await send(key);
    } catch (error) {
      if (!isUnknown(error)) throw error;
      await sleep(seconds * 1_000);
    }
  }
  return send(key);
}
