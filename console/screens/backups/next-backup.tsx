import type { Backup } from '../../../client/admin.ts';
import { Time } from '../../parts/time.tsx';
import { texts } from '../../texts.ts';

const { backups: words } = texts;

interface NextProps {
  /** Newest first. */
  readonly backups: readonly Backup[];
  readonly project: string | undefined;
  readonly every: number | undefined;
}

/** How often the server makes backups, and for a single project when the next one is due. */
export function NextBackup({ backups, project, every }: NextProps) {
  if (every === undefined) {
    return (
      <p class="quiet">
        {words.noSchedule} <code class="whole">{words.flag}</code>
      </p>
    );
  }
  if (project === undefined) return <p>{words.schedule(everyText(every))}</p>;
  const newest = backups.find((one) => one.project === project && one.status === 'done');
  const due = newest ? Date.parse(newest._createdAt) + every : 0;
  return (
    <p>
      {words.schedule(everyText(every))}{' '}
      {due > Date.now() ? (
        <>
          {words.next} <Time at={new Date(due).toISOString()} precise />.
        </>
      ) : (
        words.nextNow
      )}
    </p>
  );
}

const minute = 60_000;

function everyText(every: number): string {
  const minutes = every / minute;
  if (minutes % 1440 === 0) return words.every(minutes / 1440, 'day');
  if (minutes % 60 === 0) return words.every(minutes / 60, 'hour');
  return words.every(minutes, 'minute');
}
