import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type { Stats } from '../../../client/admin.ts';
import { admin } from '../../api.ts';
import { useSeen } from '../../parts/use-seen.ts';
import { useQuery } from '../../queries.ts';

/** The size of a collection, fetched when its row becomes visible: of a thousand collections only a few do. */
export function useStats(
  project: string,
  collection: string,
): { ref: RefObject<HTMLTableRowElement | null>; stats: Stats | undefined } {
  const ref = useRef<HTMLTableRowElement>(null);
  const { data } = useQuery({
    key: ['project', project, 'stats', collection],
    load: (signal) => admin.project(project).collections.stats(collection, { signal }),
    enabled: useSeen(ref),
  });
  return { ref, stats: data };
}
