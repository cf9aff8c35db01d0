import { v7 as uuidv7 } from 'uuid';
import { mayBind } from '../access/caller.ts';
import { findViewScope } from '../access/scope.ts';
import type { Binding, Values } from '../model/payload.ts';
import type { Reference } from '../store/plans.ts';
import type { Answer, Ask } from './ask.ts';
import { refuseParameters } from './view.ts';

/** POST /v1/:project/:collection */
export async function create(ask: Ask): Promise<Answer> {
  const { project, collection, caller } = ask;
  refuseParameters(ask);
  const { values, binding } = collection.payload.create(await ask.body(), mayBind(caller));
  const result = await project.store.insert({
    collection,
    id: uuidv7(),
    at: ask.now,
    values,
    binding: { ...ownBinding(ask), ...binding },
    references: referencesOf(ask, values),
  });
  return { status: 201, result };
}

/** A record made with a user's token is theirs and their workspace's, at every level. */
function ownBinding({ caller }: Ask): Binding {
  return caller.kind === 'user' ? { owner: caller.user, workspace: caller.workspace } : {};
}

/** The related records that a payload names, which the caller must be able to view. */
export function referencesOf({ collection, caller }: Ask, values: Values): Reference[] {
  return collection.relations.flatMap((relation) => {
    const value = Object.hasOwn(values, relation.field.name) ? values[relation.field.name] : null;
    const ids = (Array.isArray(value) ? value : value === null ? [] : [value]) as string[];
    return ids.length === 0 ? [] : [{ relation, ids, scope: findViewScope(caller, relation.to.definition) }];
  });
}
