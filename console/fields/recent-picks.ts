import { rememberItem } from '../model/page-storage.ts';

/** Remembers, per browser, which records were picked last for relations. */
const mostKept = 5;
const keyOf = (project: string, collection: string) => `vitrine recent ${project}/${collection}`;

export function readRecent(project: string, collection: string): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(project, collection)) ?? '[]');
    return Array.isArray(kept) ? kept.map(String) : [];
  } catch {
    return [];
  }
}

export function rememberPick(project: string, collection: string, id: string): void {
  const others = readRecent(project, collection).filter((one) => one !== id);
  rememberItem(keyOf(project, collection), JSON.stringify([id, ...others].slice(0, mostKept)));
}
