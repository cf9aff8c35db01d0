import { Archive, DatabaseBackup } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import type { Backup } from '../../../client/admin.ts';
import { admin, everyPage, messageOf, useProjects } from '../../api.ts';
import { bytesText, countText } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Link } from '../../parts/link.tsx';
import { Listing, type ListingColumn } from '../../parts/listing.tsx';
import { Badge } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toasts.tsx';
import { refresh, useQuery } from '../../queries.ts';
import type { ScreenProps } from '../../router.ts';
import { texts } from '../../texts.ts';
import { Alarms } from './alarms.tsx';
import { BackupActions } from './backup-actions.tsx';
import { NextBackup } from './next-backup.tsx';
import { useSchedule } from './use-schedule.ts';

const { backups: words } = texts;
const kinds = { done: 'good', failed: 'bad', running: 'warn' } as const;

const columns: readonly ListingColumn<Backup>[] = [
  { head: words.made, cell: ({ _createdAt }) => <Time at={_createdAt} precise /> },
  {
    head: words.status,
    cell: ({ status, error }) => (
      <>
        <Badge kind={kinds[status]}>{words.statuses[status]}</Badge>{' '}
        {typeof error === 'string' && <span class="quiet">{error}</span>}
      </>
    ),
  },
  {
    head: words.records,
    number: true,
    wideOnly: true,
    cell: ({ records }) => records !== undefined && countText(records),
  },
  {
    head: words.size,
    number: true,
    wideOnly: true,
    cell: ({ bytes }) => bytes !== undefined && bytesText(bytes),
  },
];

const projectColumn: ListingColumn<Backup> = {
  head: words.project,
  cell: ({ project }) => <Link to={`/${project}/_backups`}>{project}</Link>,
};

/** The backups of one project, or of all. */
export function BackupsScreen({ params: { project } }: ScreenProps) {
  const backups = useQuery({
    key: ['backups', project ?? ''],
    load: () =>
      everyPage((page) => admin.backups.list({ ...page, ...(project !== undefined && { project }) })),
  });
  const schedule = useSchedule();
  const { data: projects = [] } = useProjects();
  const ids = project === undefined ? projects.map(({ id }) => id) : [project];
  const isRunning = backups.data?.some(({ status }) => status === 'running') ?? false;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => void refresh('backups'), 2_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  const create = project !== undefined && <BackUp project={project} />;
  return (
    <Page title={words.title} intro={words.intro} actions={create}>
      <Alarms backups={backups.data ?? []} projects={ids} every={schedule?.every} />
      {schedule && backups.data && (
        <NextBackup backups={backups.data} project={project} every={schedule.every} />
      )}
      <Listing
        query={backups}
        keyOf={({ _id }) => _id}
        columns={project === undefined ? [projectColumn, ...columns] : columns}
        actions={(backup) => <BackupActions backup={backup} />}
        empty={{
          icon: Archive,
          title: words.none,
          hint: project === undefined ? words.noneHint : words.noneOfProject,
          action: create,
        }}
      />
    </Page>
  );
}

function BackUp({ project }: { project: string }) {
  const [busy, setBusy] = useState(false);
  const make = async () => {
    setBusy(true);
    try {
      const { status } = await admin.project(project).backup();
      toast({ text: status === 'done' ? words.done(project) : words.goesOn });
    } catch (error) {
      toast({ text: messageOf(error), kind: 'bad' });
    }
    setBusy(false);
    await refresh('backups');
  };
  return (
    <Button kind="primary" icon={DatabaseBackup} busy={busy} onClick={() => void make()}>
      {words.create}
    </Button>
  );
}
