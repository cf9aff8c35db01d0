import { VitrineError } from '../../../client/admin.ts';
import type { Collection } from '../../model/collection.ts';
import type { Values } from '../../model/payload.ts';
import { CommandFailure } from '../command.ts';
import { counted } from '../terminal/colours.ts';
import { requireGoingOn } from '../terminal/stop.ts';
import { createBatch, isUnknown, type Records } from './batches.ts';
import { blamed, linesOf } from './blame.ts';
import { Duplicates } from './duplicates.ts';
import type { Good } from './row-batches.ts';
import type { Tally } from './tally.ts';

interface Sending {
  readonly records: Records;
  readonly collection: Collection;
  valuesOf(row: Good): Values;
  readonly tally: Tally;
  readonly signal: AbortSignal;
}

/** Imports every row that is accepted, and reports those that are not. If it ends early, the error says how far it got. */
export async function sendGood(
  batches: AsyncIterable<readonly Good[]>,
  { records, collection, valuesOf, tally, signal }: Sending,
): Promise<void> {
  let written = 0;
  let sent: readonly Good[] = [];
  const imported = new Duplicates(collection);
  try {
    for await (const batch of batches) await sendOnce(batch);
  } catch (error) {
    if (!(error instanceof VitrineError || error instanceof CommandFailure)) throw error;
    const unknown = isUnknown(error) ? `, and perhaps those of ${linesOf(sent)}` : '';
    throw new CommandFailure(
      `the import broke off: ${error.message}; imported, and left there: ${counted(written, 'record')}${unknown}`,
    );
  }

  /** A row that has a value of an imported one is not sent, and one that has a value of another in the batch only after that. */
  async function sendOnce(batch: readonly Good[]): Promise<void> {
    for (let waiting = batch; waiting.length > 0; ) {
      const here = new Duplicates(collection);
      const rows: Good[] = [];
      const later: Good[] = [];
      for (const row of waiting) {
        const values = valuesOf(row);
        const conflict = imported.conflict(values);
        if (conflict !== undefined) tally.refused(row.line, conflict);
        else if (here.find(row.line, values) === undefined) rows.push(row);
        else later.push(row);
      }
      await send(rows);
      waiting = later;
    }
  }

  /** A refused batch is split in halves, until the bad rows are alone. */
  async function send(rows: readonly Good[]): Promise<void> {
    const [first] = rows;
    if (!first) return;
    requireGoingOn(signal);
    sent = rows;
    try {
      written += (await createBatch(records, rows)).length;
      for (const row of rows) imported.note(row.line, valuesOf(row));
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
