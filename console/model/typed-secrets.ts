import { askBeforeLeaving } from './page-storage.ts';

/** Secrets by the place of the provider that they are of. */
export type Secrets = Readonly<Record<number, string>>;

/** Those that were typed and not saved, by project: they outlive the screen, and neither the page nor the sign-in. */
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
