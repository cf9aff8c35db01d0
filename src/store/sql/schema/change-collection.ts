import { setTimeout as sleep } from 'node:timers/promises';
import { compileCarry, type Renames } from '../../../model/carry.ts';
import type { Collection } from '../../../model/collection.ts';
import { followRename } from '../../../model/read-change.ts';
import { keepsSearch, sameRules } from '../../../model/schema-diff.ts';
import { writeCollection } from '../../../model/write-collection.ts';
import { newVersion } from '../../new-version.ts';
import { buildSchema, type Schema, StaleSchema, type StoredCollection } from '../../schema.ts';
import type { ChangeAnswer, ChangePlan, Progress } from '../../schema-plans.ts';
import { checkAuthority } from '../accounts/check-authority.ts';
import { noteNewDefinition } from '../changes/note-refetch.ts';
import type { Connection } from '../dialect.ts';
import { Pace } from '../pace.ts';
import { findDeletion, refuseWhileDeleting } from '../records/deletion-marks.ts';
import { carriedKeys } from '../records/folded-keys.ts';
import { forgetAnswers } from '../records/kept-answers.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import type { Transaction, Writes } from '../transaction.ts';
import { renameInWebhooks } from '../webhooks/follow-rename.ts';
import { definitionText, fieldKeysText, makeTables, readDefinition, refuseTaken } from './collections.ts';
import { countRecords } from './count-records.ts';
import { Rebuild } from './rebuild.ts';
import { catchUp, retryMisfits, type Step } from './rebuild-steps.ts';

/** The most records of one transaction. */
const mostRecords = 200;
/** How often very many records that do not fit are tried again, if others were written in the last moment. */
const mostRounds = 3;
/** Milliseconds between checks whether a large deletion is over. */
const betweenLooks = 50;

/**
 * Replaces a collection's definition. Where records have to change, a second set of tables is filled beside the first, a few
 * records at a time between requests. Writes that happen meanwhile are noted by triggers, and carried over again. At the end
 * one transaction puts the new tables in the place of the old ones. Until then nobody sees any of it, and a crash or a
 * contradiction leaves everything as it was.
 *
 * The records are read in the transactions that write them, and not by another reader: they would have to be read again there,
 * as they may have changed. Each transaction takes some 40 ms (pace.ts) and half a megabyte, so it does not hold up others.
 */
export async function changeCollection(
  writes: Writes,
  plan: ChangePlan,
  progress: Progress,
): Promise<ChangeAnswer> {
  if (!plan.steps.some(({ rebuild }) => rebuild)) return changeDefinition(writes, plan);
  const begun = await beginBetweenDeletions(writes, plan);
  try {
    return await carryOver(writes, plan, begun, progress);
  } catch (error) {
    await writes.write(({ db }) => abandon(db, begun.rebuild));
    throw error;
  }
}

async function carryOver(
  writes: Writes,
  plan: ChangePlan,
  { change, rebuild }: BegunChange,
  progress: Progress,
): Promise<ChangeAnswer> {
  const pace = new Pace(mostRecords);
  const step: Step = async (work) => {
    const done = await pace.step(writes, (records) => (transaction) => {
      rebuild.again();
      return work(transaction, records);
    });
    rebuild.kept();
    return done;
  };
  for (let more = true; more; ) {
    more = await step(({ db }, records) => rebuild.copy(db, records));
    progress(rebuild.done, rebuild.total);
  }
  for (let written = 0, rounds = 0; ; rounds++) {
    written += await catchUp(step, rebuild);
    // If nobody has written, nothing can have made room for them.
    if (written > 0) await retryMisfits(step, rebuild);
    written = 0;
    const answer = await step(async (transaction, records): Promise<ChangeAnswer | undefined> => {
      await transaction.lockSchema();
      await checkAuthority(transaction.db, plan.authority);
      // A large deletion that began meanwhile goes first: its marks refer to the current tables.
      if (await findDeletion(transaction.db)) return undefined;
      for (let notes = records; notes === records; written += notes)
        notes = await rebuild.catchUp(transaction.db, records);
      // There are too many to try again now: one more round, unless somebody writes all the time.
      if (written > 0 && rebuild.manyMisfits.length > 0 && rounds < mostRounds) return undefined;
      await rebuild.retryLastMisfits(transaction.db);
      if (rebuild.contradiction || plan.dryRun) await abandon(transaction.db, rebuild);
      else await finish(transaction, change, rebuild.shadow, plan.steps);
      return { held: [...rebuild.held], total: rebuild.total, contradiction: rebuild.contradiction };
    });
    if (answer) return answer;
    await sleep(betweenLooks);
  }
}

/** A plan with its collection and definitions resolved. */
interface Change {
  readonly from: StoredCollection;
  readonly to: Collection;
  readonly renames: Renames;
}

function compileChange({ byKey, collections }: Schema, plan: ChangePlan): Change {
  const from = byKey.get(plan.collection.key);
  if (!from) throw new StaleSchema();
  const to = readDefinition(plan.to, collections.keys());
  const definition = followRename(from.definition, to.id);
  return { from: { ...from, definition }, to, renames: new Map(plan.renames) };
}

/** A change that is only about how records are used updates a row of the catalogue. */
function changeDefinition(writes: Writes, plan: ChangePlan): Promise<ChangeAnswer> {
  return writes.write(async (transaction) => {
    const { db } = transaction;
    await transaction.lockSchema();
    await checkAuthority(db, plan.authority);
    await refuseWhileDeleting(transaction.db);
    const {
      from,
      to: wanted,
      renames,
    } = compileChange(await transaction.schema(plan.collection.version), plan);
    // The indexes may come in another order, but their columns are named by the old one: the tables stay as they are.
    const to = { ...wanted, indexes: from.definition.indexes };
    if (to.id !== from.definition.id) await refuseTaken(db, to.id);
    if (!plan.dryRun) {
      await db.run(
        sql`UPDATE ${tables.collections} SET id = ${to.id}, definition = ${definitionText(to)} WHERE key = ${from.key}`,
      );
      await renameInRelations(db, from, to.id);
      await renameInWebhooks(db, { from: from.definition.id, to: to.id }, renames);
      noteNewDefinition(transaction, from, { key: from.key, definition: to }, plan.steps);
      await transaction.schemaChanged();
    }
    return { held: [], total: 0, contradiction: undefined };
  });
}

/** A large deletion began while the tables were made. */
class DeletionBegan extends Error {}

interface BegunChange {
  readonly change: Change;
  readonly rebuild: Rebuild;
}

/** Refuses if a large deletion is under way, as it may take long; waits for one that begins meanwhile. */
async function beginBetweenDeletions(writes: Writes, plan: ChangePlan): Promise<BegunChange> {
  for (let late = false; ; late = true) {
    try {
      return await writes.write((transaction) => begin(transaction, plan, late));
    } catch (error) {
      if (!(error instanceof DeletionBegan)) throw error;
      await sleep(betweenLooks);
    }
  }
}

async function begin(transaction: Transaction, plan: ChangePlan, late: boolean): Promise<BegunChange> {
  const { db } = transaction;
  if (!late) await refuseWhileDeleting(db);
  else if (await findDeletion(db)) throw new DeletionBegan();
  const change = compileChange(await transaction.schema(plan.collection.version), plan);
  const { from, to, renames } = change;
  if (to.id !== from.definition.id) await refuseTaken(db, to.id);
  // Before others have to wait, as it takes a tenth of a second.
  const row = await makeTables(db, to);
  // Not to be collected yet, except by the next start, if this process ends before the change does.
  await db.run(sql`INSERT INTO ${tables.garbage} (key, ready) VALUES (${row.key}, 0)`);
  const shadow = buildSchema(0, [row]).collections.get(to.id);
  if (!shadow) throw new Error('the new definition has no tables');
  await transaction.lockSchema();
  if (await findDeletion(db)) throw new DeletionBegan();
  await db.dialect.stopNoting(db, from.key); // left by a change that failed to clean up
  await db.dialect.noteWrites(db, from.key);
  const total = await countRecords(transaction, from);
  const rebuild = new Rebuild({
    from,
    shadow,
    total,
    carry: compileCarry(from.definition, to, renames),
    searchChanges: !keepsSearch(from.definition, to, renames),
    sameRules: sameRules(from.definition, to, renames),
    carriedKeys: carriedKeys(from, shadow, renames),
  });
  return { change, rebuild };
}

async function abandon(db: Connection, { from, shadow }: Rebuild): Promise<void> {
  await db.dialect.stopNoting(db, from.key);
  await db.run(sql`UPDATE ${tables.garbage} SET ready = 1 WHERE key = ${shadow.key}`);
}

async function finish(
  transaction: Transaction,
  { from, to, renames }: Change,
  shadow: StoredCollection,
  steps: ChangePlan['steps'],
): Promise<void> {
  const { db } = transaction;
  await transaction.schema(from.ref.version);
  const { total, seq, created } = await transaction.counter(from);
  await db.dialect.stopNoting(db, from.key);
  await db.run(sql`DELETE FROM ${tables.counters} WHERE collection = ${from.key}`);
  await db.run(sql`
    INSERT INTO ${tables.counters} (collection, total, seq, created, version)
    VALUES (${shadow.key}, ${total}, ${seq}, ${created}, ${newVersion()})`);
  await db.run(sql`
    UPDATE ${tables.collections}
    SET key = ${shadow.key}, id = ${to.id}, definition = ${definitionText(to)}, field_keys = ${fieldKeysText(shadow)}
    WHERE key = ${from.key}`);
  if (keepsSearch(from.definition, to, renames)) {
    await db.dialect.renameSearchTables(db, from.key, shadow.key);
  }
  await db.dialect.repoint(db, from, shadow);
  await renameInRelations(db, from, to.id);
  await renameInWebhooks(db, { from: from.definition.id, to: to.id }, renames);
  await db.run(sql`UPDATE ${tables.garbage} SET key = ${from.key}, ready = 1 WHERE key = ${shadow.key}`);
  noteNewDefinition(transaction, from, shadow, steps);
  await transaction.schemaChanged();
}

/** When a collection is renamed, the relations of other collections follow. */
async function renameInRelations(db: Connection, from: StoredCollection, id: string): Promise<void> {
  if (id === from.definition.id) return;
  await forgetAnswers(db, from.definition.id);
  for (const referrer of new Set(from.referrers.map((relation) => relation.from))) {
    if (referrer.key === from.key) continue;
    const definition = writeCollection(referrer.definition) as { fields: Record<string, { to?: string }> };
    const fields = Object.entries(definition.fields).map(([name, field]) => {
      return [name, field.to === from.definition.id ? { ...field, to: id } : field];
    });
    const text = JSON.stringify({ ...definition, fields: Object.fromEntries(fields) });
    await db.run(sql`UPDATE ${tables.collections} SET definition = ${text} WHERE key = ${referrer.key}`);
  }
}
