import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Admin, VitrineError } from '../../../client/admin.ts';
import type { Good } from './row-batches.ts';

export type Records = ReturnType<Admin['records']>['collection'] extends (name: string) => infer C
  ? C
  : never;

/** Of a record that was created, what is needed to find it again. */
export interface Made {
  readonly _id: string;
  readonly _createdAt: string;
}

/** Seconds before each further try: together as long as a server takes to start again. */
export const patiently: readonly number[] = [1, 2, 4, 8];

/** There is no answer, or one that says nothing of the batch: it may have been done all the same. */
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

/** Takes those that are not there any more out of `left`. It ends where the server does not do what it is told. */
export async function deleteAgain(
  records: Records,
  written: readonly (readonly Made[])[],
  left: Set<string>,
  pauses: readonly number[],
): Promise<void> {
  // In the batches that they were written in: what a server takes at a time it deletes at a time.
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

/** Those that can't be deleted together go in halves: somebody may have deleted one already, or point at it. */
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

/** Under one key a batch is done once, however often it is sent: so it is sent until the server says what became of it. */
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
