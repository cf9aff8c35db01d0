import { VitrineError } from '../../../client/admin.ts';
import { CommandFailure } from '../command.ts';
import { counted } from '../terminal/colours.ts';
import { requireGoingOn } from '../terminal/stop.ts';
import { createBatch, isUnknown, type Records } from './batches.ts';
import { blamed, linesOf } from './blame.ts';
import type { Good } from './row-batches.ts';
import type { Tally } from './tally.ts';

interface Sending {
  readonly records: Records;
  readonly tally: Tally;
  readonly signal: AbortSignal;
}

/** Imports every row that is accepted, and reports those that are not. If it ends early, the error says how far it got. */
export async function sendGood(
  batches: AsyncIterable<readonly Good[]>,
  { records, tally, signal }: Sending,
): Promise<void> {
  let written = 0;
  let sent: readonly Good[] = [];
  try {
    for await (const batch of batches) await send(batch);
  } catch (error) {
    if (!(error instanceof VitrineError || error instanceof CommandFailure)) throw error;
    const unknown = isUnknown(error) ? `, and perhaps those of ${linesOf(sent)}` : '';
    throw new CommandFailure(
      `the import broke off: ${error.message}; imported, and left there: ${counted(written, 'record')}${unknown}`,
    );
  }

  /** A refused batch is split in halves, until the bad rows are alone. */
  async function send(rows: readonly Good[]): Promise<void> {
    const [first] = rows;
    if (!first) return;
    requireGoingOn(signal);
    sent = rows;
    try {
      written += (await createBatch(records, rows)).length;
    } catch (error) {
      if (!(error instanceof VitrineError) || ![400, 409, 413].includes(error.status)) throw error;
      if (rows.length === 1) {
        tally.refused(first.line, blamed(error, rows).replace(`line ${first.line}: `, ''));
        return;
      }
      const half = Math.ceil(rows.length / 2);
      await send(rows.slice(0, half));
      await send(rows.slice(half));
    }
  }
}
