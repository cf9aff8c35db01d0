/** Which projects are marked as production, in this browser: a colour, so that nobody takes one for the other. */
const keyOf = (project: string) => `vitrine production ${project}`;

export const isProduction = (project: string): boolean => localStorage.getItem(keyOf(project)) !== null;

export function markProduction(project: string, marked: boolean): void {
  if (marked) localStorage.setItem(keyOf(project), '1');
  else localStorage.removeItem(keyOf(project));
}
