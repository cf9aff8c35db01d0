import { useRef } from 'preact/hooks';
import { admin, everyPage } from '../../api.ts';
import { bytesText, countText } from '../../format.ts';
import { useSeen } from '../../parts/use-seen.ts';
import { useQuery } from '../../queries.ts';
import { texts } from '../../texts.ts';

/** For a project with more collections only their number is shown. */
const mostMeasured = 50;

interface Size {
  readonly collections: number;
  readonly total?: { readonly records: number; readonly bytes: number };
}

/** How much is in a project, fetched when its card becomes visible. */
export function ProjectSize({ project }: { project: string }) {
  const ref = useRef<HTMLSpanElement>(null);
  const { data } = useQuery({
    key: ['project', project, 'size'],
    load: (signal) => measure(project, signal),
    enabled: useSeen(ref),
    fresh: 60_000,
  });
  const { collections, total } = data ?? {};
  const parts =
    collections === undefined
      ? ['\u00a0']
      : [
          texts.projects.collections(collections),
          ...(total ? [texts.projects.records(countText(total.records)), bytesText(total.bytes)] : []),
        ];
  return (
    <span ref={ref} class="quiet project-size">
      {parts.map((part, at) => (
        <span key={at}>
          {at > 0 && ' · '}
          <span class="whole">{part}</span>
        </span>
      ))}
    </span>
  );
}

async function measure(project: string, signal: AbortSignal): Promise<Size> {
  const { collections } = admin.project(project);
  const all = await everyPage((page) => collections.list({ ...page, signal }));
  if (all.length > mostMeasured) return { collections: all.length };
  let records = 0;
  let bytes = 0;
  for (const { id } of all) {
    const stats = await collections.stats(id, { signal });
    records += stats.records;
    bytes += stats.bytes;
  }
  return { collections: all.length, total: { records, bytes } };
}
