import {
  Ban,
  CircleCheck,
  Copy,
  Ellipsis,
  Eye,
  KeyRound,
  LogOut,
  MailCheck,
  MailX,
  Pencil,
  Smartphone,
  Trash2,
} from 'lucide';
import { useState } from 'preact/hooks';
import type { Account } from '../../../client/admin.ts';
import { admin, messageOf } from '../../api.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { copyText } from '../../parts/copy.tsx';
import { Menu, type MenuItem } from '../../parts/menu.tsx';
import { toast } from '../../parts/toasts.tsx';
import { ViewAs } from '../../parts/view-as.tsx';
import { refresh } from '../../queries.ts';
import { navigate } from '../../router.ts';
import { texts } from '../../texts.ts';
import { makeResetLink, type ResetLink, ShownLink } from './reset-link.tsx';
import { EditUser } from './user-dialog.tsx';

const { users: words } = texts.people;

/** The menu of actions for an account. */
export function UserActions({ project, user }: { project: string; user: Account }) {
  const [open, setOpen] = useState<'edit' | 'view' | 'delete'>();
  const [link, setLink] = useState<ResetLink>();
  const { _id, email, disabled, verified } = user;
  const { users } = admin.project(project);
  const close = () => setOpen(undefined);
  const perform = (work: () => Promise<unknown>, done: string) => async () => {
    try {
      await work();
      toast({ text: done });
    } catch (error) {
      toast({ text: messageOf(error), kind: 'bad' });
    }
    void refresh('project', project, 'users');
  };
  const deed = (label: string, icon: MenuItem['icon'], work: () => Promise<unknown>, done: string) =>
    ({ label, ...(icon && { icon }), run: perform(work, done) }) satisfies MenuItem;
  const makeLink = async () => {
    try {
      setLink(await makeResetLink(project, user));
    } catch (error) {
      toast({ text: messageOf(error), kind: 'bad' });
    }
  };
  const remove = async () => {
    await users.delete(_id);
    toast({ text: words.deleted(email) });
    void refresh('project', project, 'users');
  };
  return (
    <>
      <Menu
        label={words.actions(email)}
        icon={Ellipsis}
        items={[
          { label: words.edit, icon: Pencil, run: () => setOpen('edit') },
          { label: words.viewAs, icon: Eye, run: () => setOpen('view') },
          { label: words.copyId, icon: Copy, run: () => copyText(_id) },
          'line',
          verified
            ? deed(words.unverify, MailX, () => users.update(_id, { verified: false }), words.saved(email))
            : deed(words.verify, MailCheck, () => users.update(_id, { verified: true }), words.saved(email)),
          { label: words.resetLink, icon: KeyRound, run: () => void makeLink() },
          deed(words.endFactor, Smartphone, () => users.endFactor(_id), words.factorEnded(email)),
          deed(words.signOut, LogOut, () => users.endSessions(_id), words.signedOut(email)),
          disabled
            ? deed(
                words.enable,
                CircleCheck,
                () => users.update(_id, { disabled: false }),
                words.enabledNow(email),
              )
            : deed(words.disable, Ban, () => users.update(_id, { disabled: true }), words.disabledNow(email)),
          'line',
          { label: texts.remove, icon: Trash2, danger: true, run: () => setOpen('delete') },
        ]}
      />
      {link && <ShownLink shown={link} onClose={() => setLink(undefined)} />}
      {open === 'edit' && <EditUser project={project} user={user} onClose={close} />}
      {open === 'view' && (
        <ViewAs project={project} user={email} onClose={close} onBegun={() => navigate(`/${project}`)} />
      )}
      {open === 'delete' && (
        <Confirm
          project={project}
          title={words.deleteTitle(email)}
          action={texts.remove}
          onConfirm={remove}
          onClose={close}
        >
          <p>{words.deleteText}</p>
        </Confirm>
      )}
    </>
  );
}
