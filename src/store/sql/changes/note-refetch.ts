import { type Collection, methodEnabled, methodLevel } from '../../../model/collection.ts';
import type { DiffStep } from '../../../model/schema-diff.ts';
import type { StoredCollection } from '../../schema.ts';
import type { Transaction } from '../transaction.ts';

type Noted = Pick<Transaction, 'log'>;

/** Tells those who follow a collection to read it again if its new definition changes what they get of it. */
export function noteNewDefinition(
  { log }: Noted,
  from: StoredCollection,
  to: { readonly key: number; readonly definition: Collection },
  steps: readonly DiffStep[],
): void {
  const settingsAlone = steps.every(({ kind }) => kind === 'changeSettings' || kind === 'reorderFields');
  if (settingsAlone && feedSettings(from.definition) === feedSettings(to.definition)) return;
  const { id } = from.definition;
  log.noteRefetch(to.key, id, seen(from.definition));
  // For those who know it only by its new name, it is new.
  if (to.definition.id !== id) log.noteRefetch(to.key, to.definition.id, null);
}

export function noteDeletedCollection({ log }: Noted, { key, definition }: StoredCollection): void {
  log.noteRefetch(key, definition.id, seen(definition));
}

/** The settings that decide who can follow it: also a switch that has no effect on its own. */
function feedSettings(definition: Collection): string {
  const { viewAll, changes } = definition.api.methods;
  return [methodLevel(definition, 'viewAll'), viewAll?.enabled ?? true, changes?.enabled ?? true].join();
}

/** The level at which its changes can be followed; null if they can't. */
function seen(definition: Collection): string | null {
  return methodEnabled(definition, 'changes') ? methodLevel(definition, 'viewAll') : null;
}
