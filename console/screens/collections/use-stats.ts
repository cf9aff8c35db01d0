import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type { Stats } from '../../../client/admin.ts';
import { admin } from '../../api.ts';
import { useSeen } from '../../parts/use-seen.ts';
import { useQuery } from '../../queries.ts';

/** How large a collection is, asked for when its row is seen: of a thousand collections only a few are. */
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
