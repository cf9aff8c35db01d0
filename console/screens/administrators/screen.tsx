import { Plus, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import type { Administrator } from '../../../client/admin.ts';
import { admin, everyPage } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { Badge, Loaded } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { ShownOnce } from '../../parts/shown-once.tsx';
import { toast } from '../../parts/toasts.tsx';
import { refresh, useQuery } from '../../queries.ts';
import { texts } from '../../texts.ts';

const { administrators: words } = texts.people;

export function AdministratorsScreen() {
  const [inviting, setInviting] = useState(false);
  const [link, setLink] = useState<string>();
  const administrators = useQuery({
    key: ['administrators'],
    load: () => everyPage((page) => admin.administrators.list(page)),
  });
  const me = useQuery({ key: ['me'], load: () => admin.me() });
  const invite = (
    <Button kind="primary" icon={Plus} onClick={() => setInviting(true)}>
      {words.invite}
    </Button>
  );
  return (
    <Page title={words.title} intro={words.intro} actions={invite}>
      <Loaded query={administrators}>
        {(list) => (
          <div class="table-wrap">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">{words.email}</th>
                  <td />
                </tr>
              </thead>
              <tbody>
                {list.map((one) => (
                  <Row key={one._id} administrator={one} isMe={one._id === me.data?._id} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Loaded>
      {inviting && <Invite onMade={setLink} onClose={() => setInviting(false)} />}
      {link !== undefined && (
        <ShownOnce
          title={words.linkTitle}
          text={words.link}
          label={words.linkLabel}
          secret={link}
          done={words.copied}
          onClose={() => setLink(undefined)}
        />
      )}
    </Page>
  );
}

function Row({ administrator, isMe }: { administrator: Administrator; isMe: boolean }) {
  const [asking, setAsking] = useState(false);
  const { _id = '', email } = administrator;
  const remove = async () => {
    await admin.administrators.delete(_id);
    toast({ text: words.removed(email) });
    await refresh('administrators');
  };
  return (
    <tr>
      <td>
        {email} {isMe && <Badge>{words.you}</Badge>}
      </td>
      <td class="row-actions">
        <Button
          kind="quiet"
          icon={Trash2}
          label={words.removeAction(email)}
          onClick={() => setAsking(true)}
        />
        {asking && (
          <Confirm
            title={words.removeTitle(email)}
            action={texts.remove}
            onConfirm={remove}
            onClose={() => setAsking(false)}
          >
            <p>{words.removeText}</p>
          </Confirm>
        )}
      </td>
    </tr>
  );
}

function Invite({ onMade, onClose }: { onMade: (link: string) => void; onClose: () => void }) {
  const [email, setEmail] = useState('');
  const submit = async () => {
    const { link } = await admin.administrators.create({ email });
    onMade(link);
    await refresh('administrators');
  };
  return (
    <FormDialog
      title={words.invite}
      action={words.invite}
      fields={['email']}
      onSubmit={submit}
      onClose={onClose}
    >
      {(faults) => (
        <TextField
          label={words.email}
          type="email"
          value={email}
          onInput={setEmail}
          error={faults.email}
          required
        />
      )}
    </FormDialog>
  );
}
