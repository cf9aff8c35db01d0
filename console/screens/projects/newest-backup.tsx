import { useRef } from 'preact/hooks';
import { admin } from '../../api.ts';
import { Time } from '../../parts/time.tsx';
import { useSeen } from '../../parts/use-seen.ts';
import { useQuery } from '../../queries.ts';
import { texts } from '../../texts.ts';

/** When the project was last backed up, so that the list of projects shows which one never was. */
export function NewestBackup({ project }: { project: string }) {
  const ref = useRef<HTMLSpanElement>(null);
  const { data } = useQuery({
    key: ['backups', project, 'newest'],
    load: (signal) => admin.backups.list({ project, perPage: 10, signal }),
    enabled: useSeen(ref),
    fresh: 60_000,
  });
  const newest = data?.found.find(({ status }) => status === 'done');
  return (
    <span ref={ref} class={data && !newest ? 'warned' : undefined}>
      {newest ? <Time at={newest._createdAt} precise /> : data && texts.backups.never}
    </span>
  );
}
