import type { Definition } from '../../../client/admin.ts';
import { keep, useKept } from '../../model/kept.ts';

export type Api = NonNullable<Definition['api']>;

const nameOf = (project: string) => `${project}/access/`;

/** What was changed of who may do what, by collection, and is not saved. */
export const useChanges = (project: string): ReadonlyMap<string, Api> => useKept<Api>(nameOf(project));

/** Without a change, or with one back to what is saved, there is nothing to save. */
export function keepChange(project: string, { id, api = {} }: Definition, change?: Api): void {
  const isSame = JSON.stringify(change) === JSON.stringify(api);
  keep(nameOf(project) + id, isSame ? undefined : change);
}
