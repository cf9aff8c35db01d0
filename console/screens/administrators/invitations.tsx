import type { AdministratorInvitation } from '../../../client/admin.ts';
import { admin, everyPage } from '../../api.ts';
import { type ListingColumn, ListingTable } from '../../parts/listing.tsx';
import { Loaded } from '../../parts/notes.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toasts.tsx';
import { refresh, useQuery } from '../../queries.ts';
import { texts } from '../../texts.ts';

const { administrators: words } = texts.people;

const columns: readonly ListingColumn<AdministratorInvitation>[] = [
  { head: words.email, cell: ({ email }) => email },
  { head: words.ends, cell: ({ expiresAt }) => <Time at={expiresAt} precise /> },
];

/** Those that nobody has used yet; nothing where there is none. */
export function Invitations() {
  const query = useQuery({
    key: ['administrators', 'invitations'],
    load: () => everyPage((page) => admin.administrators.invitations(page)),
  });
  return (
    <Loaded query={query} lines={1}>
      {(found) =>
        found.length > 0 && (
          <section class="stack">
            <h2>{words.invitations}</h2>
            <ListingTable
              rows={found}
              keyOf={({ _id }) => _id}
              columns={columns}
              actions={(one) => (
                <RemoveButton
                  label={words.withdrawAction(one.email)}
                  title={words.withdrawTitle(one.email)}
                  text={words.withdrawText}
                  action={words.withdraw}
                  onRemove={() => withdraw(one)}
                />
              )}
            />
          </section>
        )
      }
    </Loaded>
  );
}

async function withdraw({ _id, email }: AdministratorInvitation): Promise<void> {
  await admin.administrators.withdraw(_id);
  toast({ text: words.withdrawn(email) });
  void refresh('administrators');
}
