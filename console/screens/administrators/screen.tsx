import { ShieldCheck } from 'lucide';
import type { Administrator } from '../../../client/admin.ts';
import { admin, everyPage } from '../../api.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { ListScreen } from '../../parts/list-screen.tsx';
import type { ListingColumn } from '../../parts/listing.tsx';
import { Badge } from '../../parts/notes.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { toast } from '../../parts/toasts.tsx';
import { useForm } from '../../parts/use-form.ts';
import { refresh, useQuery } from '../../queries.ts';
import { texts } from '../../texts.ts';
import { Invitations } from './invitations.tsx';

const { administrators: words } = texts.people;

export function AdministratorsScreen() {
  const query = useQuery({
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
  return (
    <ListScreen
      words={words}
      icon={ShieldCheck}
      query={query}
      keyOf={({ email }) => email}
      columns={columns}
      actions={(one) => (
        <RemoveButton
          label={words.removeAction(one.email)}
          title={words.removeTitle(one.email)}
          text={words.removeText}
          onRemove={() => remove(one)}
        />
      )}
      creator={(close, showOnce) => <Invite onMade={showOnce} onClose={close} />}
    >
      <Invitations />
    </ListScreen>
  );
}

async function remove({ _id = '', email }: Administrator): Promise<void> {
  await admin.administrators.delete(_id);
  toast({ text: words.removed(email) });
  void refresh('administrators');
}

function Invite({ onMade, onClose }: { onMade: (link: string) => void; onClose: () => void }) {
  const invite = async ({ email }: { email: string }) => {
    onMade((await admin.administrators.create({ email })).link);
    void refresh('administrators');
  };
  const form = useForm({ email: '' }, invite, onClose);
  return (
    <FormDialog title={words.create} action={words.create} form={form} onClose={onClose}>
      <TextField label={words.email} type="email" {...form.text('email')} required />
    </FormDialog>
  );
}
