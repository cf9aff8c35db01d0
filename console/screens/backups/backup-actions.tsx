import { Copy, Download, Ellipsis, History, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import type { Backup } from '../../../client/admin.ts';
import { admin, downloadPath, messageOf } from '../../api.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { copyText } from '../../parts/copy.tsx';
import { Menu } from '../../parts/menu.tsx';
import { momentText } from '../../parts/time.tsx';
import { toast } from '../../parts/toasts.tsx';
import { refresh } from '../../queries.ts';
import { texts } from '../../texts.ts';
import { RestoreDialog } from './restore-dialog.tsx';

const { backups: words } = texts;

export function BackupActions({ backup }: { backup: Backup }) {
  const [open, setOpen] = useState<'restore' | 'delete'>();
  const { _id, project, _createdAt, status, checksum } = backup;
  const close = () => setOpen(undefined);
  const download = () =>
    downloadPath(`/v1/_admin/backups/${_id}/file`).catch((error: unknown) =>
      toast({ text: messageOf(error), kind: 'bad' }),
    );
  const remove = async () => {
    await admin.backups.delete(_id);
    toast({ text: words.deleted });
    void refresh('backups');
  };
  if (status === 'running') return null;
  return (
    <>
      <Menu
        label={words.actions(momentText(_createdAt))}
        icon={Ellipsis}
        items={[
          ...(status === 'done'
            ? [
                { label: words.download, icon: Download, run: () => void download() },
                { label: words.restore, icon: History, run: () => setOpen('restore') },
                { label: words.copyChecksum, icon: Copy, run: () => copyText(checksum ?? '') },
                'line' as const,
              ]
            : []),
          { label: texts.remove, icon: Trash2, danger: true, run: () => setOpen('delete') },
        ]}
      />
      {open === 'restore' && <RestoreDialog backup={backup} onClose={close} />}
      {open === 'delete' && (
        <Confirm
          project={project}
          title={words.deleteTitle}
          action={texts.remove}
          onConfirm={remove}
          onClose={close}
        >
          <p>{words.deleteText(project, momentText(_createdAt))}</p>
        </Confirm>
      )}
    </>
  );
}
