import { randomSecret } from './secret.ts';

/** vk_<project>_<43 characters>: the project is in it, so that a key of another project is recognised. */
const form = /^vk_(.+)_([A-Za-z0-9_-]{43})$/;
/** What is one, or has one in it: no fewer characters, all of which are also those of the ids of projects. */
export const keys = /vk_[A-Za-z0-9_-]{45,}/g;

export function makeServerKey(project: string): string {
  return `vk_${project}_${randomSecret()}`;
}

/** The project a server key says it is of; undefined for what is no server key. */
export function projectOfKey(token: string): string | undefined {
  return form.exec(token)?.[1];
}
