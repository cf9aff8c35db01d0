import type { ReadTurn } from '../../../../access/turns.ts';
import type { ProjectReads, ReadCalls, ReadKind } from '../readers/readers.ts';

/** Performs a read whose cost grows with the collection off the serving thread, when it is its caller's turn. */
export type ExpensiveReads = <K extends ReadKind>(
  kind: K,
  plan: ReadCalls[K]['plan'],
  turn: ReadTurn | undefined,
) => Promise<ReadCalls[K]['answer']>;

export function expensiveReads(reads: ProjectReads): ExpensiveReads {
  return async (kind, plan, turn) => {
    const release = await turn?.take();
    try {
      return await reads.read(kind, plan, turn);
    } finally {
      release?.();
    }
  };
}
