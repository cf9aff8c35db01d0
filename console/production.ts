import { readItem, useItem, writeItem } from './model/page-storage.ts';

/** Marks projects as production, per browser: they get a colour, so that nobody confuses them with others. */
const keyOf = (project: string) => `vitrine production ${project}`;

export const isProduction = (project: string): boolean => readItem(keyOf(project)) !== null;

/** The same as a hook: renders again when the mark changes. */
export const useProduction = (project: string): boolean => useItem(keyOf(project)) !== null;

export const markProduction = (project: string, marked: boolean) =>
  writeItem(keyOf(project), marked ? '1' : undefined);
