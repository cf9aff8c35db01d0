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
  /** How many rows passed the check; as many must be sent. */
  readonly expected: number;
  readonly signal: AbortSignal;
}

/** All or nothing: if it fails half-way, the records written so far are deleted again, or the error says what is left. */
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

/** The rows are read twice, and the file may be changed in between. */
function requireSame(checked: number, sent: number): void {
  if (checked === sent) return;
  throw new CommandFailure(
    `the file was changed meanwhile: ${counted(checked, 'row')} when it was checked, then ${sent.toLocaleString('en-US')}`,
  );
}

/** Deletes the written records, and returns an error that describes the outcome. */
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
    if (!(caught instanceof VitrineError)) throw caught; // the remaining records are reported below
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

/** undefined: a bug of ours, which is shown as it is. */
function reasonOf(error: unknown, sent: readonly Good[]): string | undefined {
  if (error instanceof VitrineError) return blamed(error, sent);
  return error instanceof CommandFailure || error instanceof Failure ? error.message : undefined;
}
