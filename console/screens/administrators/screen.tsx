import { Plus, ShieldCheck, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import type { Administrator } from '../../../client/admin.ts';
import { admin, everyPage } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { Listing, type ListingColumn } from '../../parts/listing.tsx';
import { Badge } from '../../parts/notes.tsx';
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
  const columns: readonly ListingColumn<Administrator>[] = [
    {
      head: words.email,
      cell: ({ _id, email }) => (
        <>
          {email} {_id === me.data?._id && <Badge>{words.you}</Badge>}
        </>
      ),
    },
  ];
  const invite = (
    <Button kind="primary" icon={Plus} onClick={() => setInviting(true)}>
      {words.invite}
    </Button>
  );
  return (
    <Page title={words.title} intro={words.intro} actions={invite}>
      <Listing
        query={administrators}
        keyOf={({ email }) => email}
        columns={columns}
        actions={(one) => <RemoveAdministrator administrator={one} />}
        empty={{ icon: ShieldCheck, title: words.none, hint: words.noneHint, action: invite }}
      />
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

function RemoveAdministrator({ administrator }: { administrator: Administrator }) {
  const [asking, setAsking] = useState(false);
  const { _id = '', email } = administrator;
  const remove = async () => {
    await admin.administrators.delete(_id);
    toast({ text: words.removed(email) });
    await refresh('administrators');
  };
  return (
    <>
      <Button kind="quiet" icon={Trash2} label={words.removeAction(email)} onClick={() => setAsking(true)} />
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
    </>
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
