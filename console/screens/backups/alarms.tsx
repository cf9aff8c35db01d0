import type { Backup } from '../../../client/admin.ts';
import { momentText } from '../../parts/time.tsx';
import { texts } from '../../texts.ts';

const { backups: words } = texts;

/** Milliseconds after which a backup counts as old if the server makes none on its own. */
const oldest = 7 * 24 * 60 * 60_000;

interface AlarmsProps {
  /** Newest first. */
  readonly backups: readonly Backup[];
  /** The existing projects: backups outlive theirs. */
  readonly projects: readonly string[];
  /** Milliseconds between scheduled backups; undefined: there is no schedule. */
  readonly every: number | undefined;
}

/** Warns about projects whose last backup failed, or whose newest good one is old. */
export function Alarms({ backups, projects, every }: AlarmsProps) {
  const alarms = projects.flatMap((project) => alarmOf(project, backups, every) ?? []);
  if (alarms.length === 0) return null;
  return (
    <div class="note error" role="alert">
      <div>
        {alarms.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
    </div>
  );
}

function alarmOf(project: string, backups: readonly Backup[], every: number | undefined): string | undefined {
  const own = backups.filter((one) => one.project === project && one.status !== 'running');
  const good = own.find(({ status }) => status === 'done');
  if (own[0]?.status === 'failed') return words.lastFailed(project, good && momentText(good._createdAt));
  const isOld = good && Date.now() - Date.parse(good._createdAt) > (every === undefined ? oldest : 2 * every);
  return isOld ? words.isOld(project, momentText(good._createdAt)) : undefined;
}
