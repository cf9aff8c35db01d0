import { admin } from '../../api.ts';
import { Time } from '../../parts/time.tsx';
import { useQuery } from '../../queries.ts';
import { texts } from '../../texts.ts';

/** When the project was last backed up: whoever looks at all projects sees which one was not. */
export function NewestBackup({ project }: { project: string }) {
  const { data } = useQuery({
    key: ['backups', project, 'newest'],
    load: (signal) => admin.backups.list({ project, perPage: 10, signal }),
    fresh: 60_000,
  });
  const newest = data?.found.find(({ status }) => status === 'done');
  if (!data) return null;
  return newest ? <Time at={newest._createdAt} precise /> : <span class="warned">{texts.backups.never}</span>;
}
