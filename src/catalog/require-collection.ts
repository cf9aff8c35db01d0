import { Failure } from '../failure.ts';
import { didYouMean } from '../model/nearest.ts';
import type { StoredCollection } from '../store/schema.ts';
import type { Project } from './project.ts';

export function requireCollection(project: Project, id: string): StoredCollection {
  const collection = project.schema.collections.get(id);
  if (collection) return collection;
  const hint = didYouMean(id, project.schema.collections.keys());
  throw new Failure('absent', `There is no collection '${id}' in project '${project.id}'${hint}`);
}
