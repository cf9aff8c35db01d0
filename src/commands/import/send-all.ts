import { VitrineError } from '../../../client/admin.ts';
import { Failure } from '../../failure.ts';
import { CommandFailure } from '../command.ts';
import { counted } from '../terminal/colours.ts';
import { requireGoingOn } from '../terminal/stop.ts';
import { createBatch, deleteAgain, isUnknown, type Made, patiently, type Records } from './batches.ts';
import { blamed, linesOf } from './blame.ts';
import type { Good } from './row-batches.ts';

interface Sending {
  readonly records: Records;
  /** How many rows were found good: as many must come. */
  readonly expected: number;
  readonly signal: AbortSignal;
}

/** All or nothing: whatever ends it half way, what was written before is deleted again, or it is said what is left. */
export async function sendAll(
  batches: AsyncIterable<readonly Good[]>,
  { records, expected, signal }: Sending,
): Promise<void> {
  const written: (readonly Made[])[] = [];
  let sent: readonly Good[] = [];
  try {
    for await (const batch of batches) {
      requireGoingOn(signal);
      sent = batch;
      written.push(await createBatch(records, batch));
    }
    requireSame(expected, written.flat().length);
  } catch (error) {
    throw await undone(records, written, error, sent);
  }
}

/** The rows are read twice, and somebody may write to the file meanwhile. */
function requireSame(checked: number, sent: number): void {
  if (checked === sent) return;
  throw new CommandFailure(
    `the file was changed meanwhile: ${counted(checked, 'row')} when it was checked, then ${sent.toLocaleString('en-US')}`,
  );
}

/** Deletes what was written, and says what came of all this. */
async function undone(
  records: Records,
  written: readonly (readonly Made[])[],
  error: unknown,
  sent: readonly Good[],
): Promise<unknown> {
  const made = written.flat();
  const left = new Set(made.map(({ _id }) => _id));
  const unknown = isUnknown(error);
  try {
    await deleteAgain(records, written, left, unknown ? [] : patiently);
  } catch (caught) {
    if (!(caught instanceof VitrineError)) throw caught; // what is left is told below
  }
  const reason = reasonOf(error, sent);
  if (reason === undefined) return error;
  const deleted = made.length - left.size;
  const back = deleted === 0 ? '' : `; ${counted(deleted, 'record')} written before were deleted again`;
  if (left.size === 0 && !unknown) return new CommandFailure(`nothing was imported: ${reason}${back}`);
  const first = made.find(({ _id }) => left.has(_id));
  const stays = [
    ...(first ? [`${counted(left.size, 'record')}, the first created at ${first._createdAt}`] : []),
    ...(unknown ? [`perhaps those of ${linesOf(sent)}`] : []),
  ].join(', and ');
  return new CommandFailure(`the import broke off: ${reason}${back}; left in the collection: ${stays}`);
}

/** undefined: a mistake of ours, which is to be seen as it is. */
function reasonOf(error: unknown, sent: readonly Good[]): string | undefined {
  if (error instanceof VitrineError) return blamed(error, sent);
  return error instanceof CommandFailure || error instanceof Failure ? error.message : undefined;
}
