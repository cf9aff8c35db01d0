import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Stats } from '../../../client/admin.ts';
import { admin } from '../../api.ts';
import { useQuery } from '../../queries.ts';

/** How large a collection is, asked for when its row is seen: of a thousand collections only a few are. */
export function useStats(
  project: string,
  collection: string,
): { ref: RefObject<HTMLTableRowElement | null>; stats: Stats | undefined } {
  const ref = useRef<HTMLTableRowElement>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  const { data } = useQuery({
    key: ['project', project, 'stats', collection],
    load: (signal) => admin.project(project).collections.stats(collection, { signal }),
    enabled: seen,
  });
  return { ref, stats: data };
}
