import { CirclePause, CirclePlay, Ellipsis, List, Pencil, RefreshCw, Send, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import type { Webhook } from '../../../client/admin.ts';
import { admin, messageOf } from '../../api.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Menu } from '../../parts/menu.tsx';
import { toast } from '../../parts/toasts.tsx';
import { refresh } from '../../queries.ts';
import { texts } from '../../texts.ts';
import { Deliveries } from './deliveries.tsx';
import { EditWebhook } from './webhook-dialog.tsx';

const { webhooks: words } = texts;

interface ActionsProps {
  readonly project: string;
  readonly webhook: Webhook;
  readonly onSecret: (secret: string | undefined) => void;
}

/** The menu of actions for a webhook. */
export function WebhookActions({ project, webhook, onSecret }: ActionsProps) {
  const [open, setOpen] = useState<'edit' | 'rotate' | 'delete' | 'deliveries'>();
  const { _id, name, paused } = webhook;
  const { webhooks } = admin.project(project);
  const close = () => setOpen(undefined);
  const renew = () => refresh('project', project, 'webhooks');
  const tell = async (deed: () => Promise<string>) => {
    try {
      toast({ text: await deed() });
    } catch (error) {
      toast({ text: messageOf(error), kind: 'bad' });
    }
    await renew();
  };
  const setPaused = (value: boolean) =>
    tell(async () => {
      await webhooks.update(_id, { paused: value });
      return value ? words.pausedNow(name) : words.resumed(name);
    });
  const test = async () => {
    try {
      const { delivered, code, reason, ms } = await webhooks.test(_id);
      if (delivered && code !== null) toast({ text: words.tested(code, ms) });
      else toast({ text: words.testFailed(reason ?? words.answered(code ?? 0)), kind: 'bad' });
    } catch (error) {
      toast({ text: messageOf(error), kind: 'bad' });
    }
  };
  const rotate = async () => {
    onSecret((await webhooks.rotate(_id)).secret);
    await renew();
  };
  const remove = async () => {
    await webhooks.delete(_id);
    toast({ text: words.deleted(name) });
    await renew();
  };
  return (
    <>
      <Menu
        label={words.actions(name)}
        icon={Ellipsis}
        items={[
          { label: words.deliveries, icon: List, run: () => setOpen('deliveries') },
          { label: words.test, icon: Send, run: () => void test() },
          { label: words.edit, icon: Pencil, run: () => setOpen('edit') },
          paused
            ? { label: words.resume, icon: CirclePlay, run: () => void setPaused(false) }
            : { label: words.pause, icon: CirclePause, run: () => void setPaused(true) },
          { label: words.rotate, icon: RefreshCw, run: () => setOpen('rotate') },
          'line',
          { label: texts.remove, icon: Trash2, danger: true, run: () => setOpen('delete') },
        ]}
      />
      {open === 'deliveries' && <Deliveries project={project} webhook={webhook} onClose={close} />}
      {open === 'edit' && <EditWebhook project={project} webhook={webhook} onClose={close} />}
      {open === 'rotate' && (
        <Confirm title={words.rotateTitle(name)} action={words.rotate} onConfirm={rotate} onClose={close}>
          <p>{words.rotateText}</p>
        </Confirm>
      )}
      {open === 'delete' && (
        <Confirm
          project={project}
          title={words.deleteTitle(name)}
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
