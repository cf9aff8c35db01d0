import type { Binding } from '../../../model/payload.ts';
import type { StoredCollection } from '../../schema.ts';
import type { StoredRecord } from '../records/placed-record.ts';
import type { Transaction } from '../transaction.ts';
import { kinds } from './change-log.ts';

type Noted = Pick<Transaction, 'log'>;

const unchanged = { oldOwner: null, oldWorkspace: null };

export function noteCreation({ log }: Noted, collection: StoredCollection, record: StoredRecord): void {
  const { id, updated: at, owner, workspace } = record;
  log.note(collection, { kind: kinds.create, id, at, owner, workspace, ...unchanged });
}

/** `updated`: that of the record after the change, by which the log recognizes the last change of a record. */
export function noteChange(
  { log }: Noted,
  collection: StoredCollection,
  { id, owner, workspace }: StoredRecord,
  updated: number,
  binding: Binding,
): void {
  const next = { owner, workspace, ...definedOf(binding) };
  if (next.owner === owner && next.workspace === workspace) {
    log.note(collection, { kind: kinds.update, id, at: updated, owner, workspace, ...unchanged });
    return;
  }
  const before = { oldOwner: owner, oldWorkspace: workspace };
  log.note(collection, { kind: kinds.handover, id, at: updated, ...next, ...before });
}

function definedOf({ owner, workspace }: Binding): Binding {
  return { ...(owner !== undefined && { owner }), ...(workspace !== undefined && { workspace }) };
}

export function noteDeletion(
  { log }: Noted,
  collection: StoredCollection,
  { id, updated, owner, workspace }: StoredRecord,
  at: number,
): void {
  const latest = Math.max(at, updated);
  log.note(collection, { kind: kinds.delete, id, at: latest, owner, workspace, ...unchanged });
}
