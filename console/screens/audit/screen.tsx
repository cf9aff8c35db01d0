import { ScrollText, X } from 'lucide';
import { useState } from 'preact/hooks';
import type { AuditEntry } from '../../../client/admin.ts';
import { admin, firstOf, moreThan } from '../../api.ts';
import { countText } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { type ListingColumn, ListingTable } from '../../parts/listing.tsx';
import { Badge, Empty, Loaded } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { useQuery } from '../../queries.ts';
import { navigate, usePlace } from '../../router.ts';
import { texts } from '../../texts.ts';

const { audit: words } = texts;
const filters = ['project', 'actor', 'action'] as const;
const kinds = { done: 'good', refused: 'bad', unknown: 'warn' } as const;
const step = 50;

/** The audit log. Clicking a project, an actor or an action filters by it. */
export function AuditScreen() {
  const { path, query } = usePlace();
  const given = new URLSearchParams(query);
  const [most, setMost] = useState(step);
  const which = Object.fromEntries(
    filters.flatMap((name) => (given.get(name) ? [[name, given.get(name) ?? '']] : [])),
  );
  const entries = useQuery({
    key: ['audit', which, most],
    load: (signal) => firstOf(most, (page) => admin.audit({ ...which, ...page, signal })),
    keepLast: true,
    fresh: 0,
  });
  const show = (next: Record<string, string>) =>
    navigate(path, { query: new URLSearchParams(next).toString() });
  const only = (name: (typeof filters)[number], value: string | null) =>
    value !== null && (
      <button
        type="button"
        class="link"
        title={words.onlyThese(value)}
        onClick={() => show({ ...which, [name]: value })}
      >
        {value}
      </button>
    );
  const columns: readonly ListingColumn<AuditEntry>[] = [
    { head: words.at, cell: ({ at }) => <Time at={at} precise /> },
    {
      head: words.actor,
      wideOnly: true,
      cell: ({ actor }) => only('actor', actor) || <span class="quiet">{words.stranger}</span>,
    },
    { head: words.action, cell: ({ action }) => only('action', action) },
    { head: words.project, wideOnly: true, cell: ({ project }) => only('project', project) },
    { head: words.target, wideOnly: true, cell: ({ target }) => <span class="mono quiet">{target}</span> },
    { head: words.address, wideOnly: true, cell: ({ address }) => <span class="quiet">{address}</span> },
    {
      head: words.outcome,
      cell: ({ outcome }) => <Badge kind={kinds[outcome]}>{words.outcomes[outcome]}</Badge>,
    },
  ];
  const isNarrowed = Object.keys(which).length > 0;
  return (
    <Page title={words.title} intro={words.intro} wide>
      {isNarrowed && (
        <div class="row" role="group" aria-label={words.filters}>
          {Object.entries(which).map(([name, value]) => (
            <span key={name} class="chip">
              <span class="chip-text row">{value}</span>
              <button
                type="button"
                class="chip-remove"
                aria-label={texts.removeValue(value)}
                onClick={() =>
                  show(Object.fromEntries(Object.entries(which).filter(([one]) => one !== name)))
                }
              >
                <Icon icon={X} size={12} />
              </button>
            </span>
          ))}
          <Button kind="quiet" onClick={() => show({})}>
            {words.clear}
          </Button>
        </div>
      )}
      <Loaded query={entries}>
        {({ found, total }) =>
          found.length === 0 ? (
            <Empty icon={ScrollText} title={isNarrowed ? words.noMatch : words.none} />
          ) : (
            <>
              <ListingTable rows={found} keyOf={({ _id }) => _id} columns={columns} />
              {found.length < total && (
                <p class="more-line">
                  <span class="quiet">{texts.list.countOf(countText(found.length), countText(total))}</span>
                  <Button busy={entries.isPlaceholderData} onClick={() => setMost(moreThan(most))}>
                    {words.more}
                  </Button>
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
