import { type Collection, methodEnabled, methodLevel } from '../../../model/collection.ts';
import type { DiffStep } from '../../../model/schema-diff.ts';
import type { StoredCollection } from '../../schema.ts';
import type { Transaction } from '../transaction.ts';

type Noted = Pick<Transaction, 'log'>;

/** Whoever follows a collection whose definition has changed what they get of it is to read it anew. */
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
  // To those who know it by its new name alone, it is new.
  if (to.definition.id !== id) log.noteRefetch(to.key, to.definition.id, null);
}

export function noteDeletedCollection({ log }: Noted, { key, definition }: StoredCollection): void {
  log.noteRefetch(key, definition.id, seen(definition));
}

/** What of the settings decides who follows it: also a switch that alone does not change that. */
function feedSettings(definition: Collection): string {
  const { viewAll, changes } = definition.api.methods;
  return [methodLevel(definition, 'viewAll'), viewAll?.enabled ?? true, changes?.enabled ?? true].join();
}

/** At which level its changes can be followed; null where they can't. */
function seen(definition: Collection): string | null {
  return methodEnabled(definition, 'changes') ? methodLevel(definition, 'viewAll') : null;
}
