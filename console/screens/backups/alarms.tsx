import type { Backup } from '../../../client/admin.ts';
import { momentText } from '../../parts/time.tsx';
import { texts } from '../../texts.ts';

const { backups: words } = texts;

/** Milliseconds. The server does not tell how often they are to be made: after this long it is worth a look by any schedule. */
const oldest = 7 * 24 * 60 * 60_000;

interface AlarmsProps {
  /** The newest first. */
  readonly backups: readonly Backup[];
  /** Those that are there: backups outlive their project. */
  readonly projects: readonly string[];
}

/** Of projects whose last backup failed, or whose newest good one is old. */
export function Alarms({ backups, projects }: AlarmsProps) {
  const told = projects.flatMap((project) => alarmOf(project, backups) ?? []);
  if (told.length === 0) return null;
  return (
    <div class="note error" role="alert">
      <div>
        {told.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
    </div>
  );
}

function alarmOf(project: string, backups: readonly Backup[]): string | undefined {
  const own = backups.filter((one) => one.project === project && one.status !== 'running');
  const good = own.find(({ status }) => status === 'done');
  if (own[0]?.status === 'failed') return words.lastFailed(project, good && momentText(good._createdAt));
  const isOld = good && Date.now() - Date.parse(good._createdAt) > oldest;
  return isOld ? words.isOld(project, momentText(good._createdAt)) : undefined;
}
