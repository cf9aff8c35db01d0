import { randomSecret } from './secret.ts';

/** vk_<project>_<43 characters>: contains the project, so that a key of another project is recognised. */
const form = /^vk_(.+)_([A-Za-z0-9_-]{43})$/;
/** Finds keys in a text. May match more than the key, as ids of projects consist of the same characters. */
export const keys = /vk_[A-Za-z0-9_-]{45,}/g;

export function makeServerKey(project: string): string {
  return `vk_${project}_${randomSecret()}`;
}

/** The project that a server key names; undefined if it is not a server key. */
export function projectOfKey(token: string): string | undefined {
  return form.exec(token)?.[1];
}
