import { askBeforeLeaving } from './page-storage.ts';

/** Client secrets, by the index of their provider in the list. */
export type Secrets = Readonly<Record<number, string>>;

/** Unsaved secrets by project: kept in memory until the page is left or the session ends, and never written to storage. */
const typed = new Map<string, Secrets>();

export const typedSecrets = (project: string): Secrets => typed.get(project) ?? {};

export function keepSecrets(project: string, secrets: Secrets): void {
  if (Object.keys(secrets).length > 0) typed.set(project, secrets);
  else typed.delete(project);
}

export const forgetSecrets = () => typed.clear();

addEventListener('beforeunload', (event) => {
  if (typed.size > 0) askBeforeLeaving(event);
});
