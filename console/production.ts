import { readItem, writeItem } from './model/page-storage.ts';

/** Which projects are marked as production, in this browser: a colour, so that nobody takes one for the other. */
const keyOf = (project: string) => `vitrine production ${project}`;

export const isProduction = (project: string): boolean => readItem(keyOf(project)) !== null;

export const markProduction = (project: string, marked: boolean) =>
  writeItem(keyOf(project), marked ? '1' : undefined);
