import type { Definition } from '../../../client/admin.ts';
import { changeCollection, noteCollection } from '../../change-collection.ts';
import { keep, useKept } from '../../model/kept.ts';
import { texts } from '../../texts.ts';
import { type Api, onTop, sameApi } from './methods.ts';

/** The edited access settings, and those that were saved when the editing began. */
export interface Change {
  readonly base: Api;
  readonly api: Api;
}

const nameOf = (project: string, id = '') => `${project}/access/${id}`;

/** Changes made while a save is running, which started with older ones. */
const written = new Map<string, Change>();

/** Unsaved changes of access settings, by collection. */
export function useChanges(project: string): ReadonlyMap<string, Change> {
  const kept = useKept<Partial<Change>>(nameOf(project));
  // Earlier versions of the console kept no `base`, so it is unknown what these are a change of.
  return new Map([...kept].filter((entry): entry is [string, Change] => entry[1].base !== undefined));
}

function write(name: string, change: Change): void {
  written.set(name, change);
  keep(name, sameApi(change.api, change.base) ? undefined : change);
}

/** Keeps a change; one that is equal to its base is dropped. */
export function keepChange(
  project: string,
  { id, api: saved = {} }: Definition,
  change: Change | undefined,
  api: Api,
): void {
  write(nameOf(project, id), { base: change?.base ?? saved, api });
}

export function dropChange(project: string, id: string): void {
  written.delete(nameOf(project, id));
  keep(nameOf(project, id), undefined);
}

/** Saves one after the other, and stops at the first that fails. */
export async function saveChanges(
  project: string,
  changes: readonly (readonly [Definition, Change])[],
): Promise<void> {
  for (const [{ id }] of changes) written.delete(nameOf(project, id));
  for (const [definition, change] of changes) await saveChange(project, definition, change);
}

/**
 * Saves a change, and nothing else. What is edited meanwhile becomes a change on top of what was saved. If somebody else changed
 * the settings since the editing began, nothing is saved until the user has seen both together.
 */
async function saveChange(project: string, { id, name = id }: Definition, begun: Change): Promise<void> {
  const place = nameOf(project, id);
  const latest = () => written.get(place) ?? begun;
  const sent = latest();
  const follow = (from: Api, now: Api = {}) =>
    write(place, { base: now, api: onTop(from, latest().api, now) });
  const changed = await changeCollection(project, id, (now) => {
    if (sameApi(now.api, sent.base)) return { ...now, api: sent.api };
    noteCollection(project, now, id);
    follow(sent.base, now.api);
    throw new Error(texts.access.changedMeanwhile(name));
  });
  follow(sent.api, changed.api);
}
