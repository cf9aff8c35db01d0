import { useEffect, useState } from 'preact/hooks';

/** As whom the records of a project are read and written. */
export type Viewer =
  | { readonly kind: 'administrator' }
  | { readonly kind: 'nobody'; readonly project: string }
  /** A user or a server key. */
  | { readonly kind: 'token'; readonly project: string; readonly token: string; readonly name: string };

let viewer: Viewer = { kind: 'administrator' };
const listeners = new Set<() => void>();

/** The viewer applies to one project; in all others it is the administrator. */
export const viewerOf = (project: string): Viewer =>
  viewer.kind !== 'administrator' && viewer.project === project ? viewer : { kind: 'administrator' };

/** Part of cache keys: viewers must not see each other's answers. */
export function viewerKey(project: string): string {
  const now = viewerOf(project);
  return now.kind === 'token' ? `token ${now.token}` : now.kind;
}

export function viewAs(next: Viewer): void {
  viewer = next;
  for (const listener of [...listeners]) listener();
}

export function useViewer(project: string): Viewer {
  const [, render] = useState({});
  useEffect(() => {
    const listener = () => render({});
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return viewerOf(project);
}
