import { readItem, useItem, writeItem } from './model/page-storage.ts';

/** Which projects are marked as production, in this browser: a colour, so that nobody takes one for the other. */
const keyOf = (project: string) => `vitrine production ${project}`;

export const isProduction = (project: string): boolean => readItem(keyOf(project)) !== null;

/** The same for what is shown: it follows the mark. */
export const useProduction = (project: string): boolean => useItem(keyOf(project)) !== null;

export const markProduction = (project: string, marked: boolean) =>
  writeItem(keyOf(project), marked ? '1' : undefined);
