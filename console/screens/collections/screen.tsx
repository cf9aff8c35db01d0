import { Plus, Table2 } from 'lucide';
import { useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { useCollections } from '../../api.ts';
import { bytesText, countText } from '../../format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { Badge, Empty, Loaded } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import type { ScreenProps } from '../../router.ts';
import { texts } from '../../texts.ts';
import { useStats } from './use-stats.ts';

const { collections: words } = texts;

export function CollectionsScreen({ params: { project = '' } }: ScreenProps) {
  const collections = useCollections(project);
  const [filter, setFilter] = useState('');
  const makePath = `/${project}/_new`;
  const create = (
    <Link to={makePath} class="button primary">
      <Icon icon={Plus} /> {words.create}
    </Link>
  );
  return (
    <Page title={words.title} actions={create}>
      <Loaded query={collections}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={Table2} title={words.none}>
              <p>{words.noneHint}</p>
              {create}
            </Empty>
          ) : (
            <>
              {list.length > 12 && (
                <input
                  class="input narrow"
                  type="search"
                  aria-label={texts.nav.filterCollections}
                  placeholder={texts.nav.filterCollections}
                  value={filter}
                  onInput={(event) => setFilter(event.currentTarget.value)}
                />
              )}
              <CollectionTable project={project} list={list} filter={filter.trim().toLowerCase()} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

/** Most collections that are rendered; with more, people look for one by its name. */
const mostShown = 200;

interface TableProps {
  readonly project: string;
  readonly list: readonly Definition[];
  readonly filter: string;
}

function CollectionTable({ project, list, filter }: TableProps) {
  const found = list.filter(
    ({ id, name }) => id.includes(filter) || (name ?? '').toLowerCase().includes(filter),
  );
  if (found.length === 0) return <Empty title={words.noMatch} />;
  return (
    <div class="table-wrap">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{words.name}</th>
            <th scope="col" class="number">
              {words.records}
            </th>
            <th scope="col" class="number wide-only">
              {words.size}
            </th>
            <th scope="col" class="number wide-only">
              {words.fields}
            </th>
            <th scope="col">{words.access}</th>
          </tr>
        </thead>
        <tbody>
          {found.slice(0, mostShown).map((definition) => (
            <CollectionRow key={definition.id} project={project} definition={definition} />
          ))}
        </tbody>
      </table>
      {found.length > mostShown && (
        <p class="table-rest quiet">{words.rest(countText(found.length - mostShown))}</p>
      )}
    </div>
  );
}

function CollectionRow({ project, definition }: { project: string; definition: Definition }) {
  const { id, name, fields = {}, api } = definition;
  const { ref, stats } = useStats(project, id);
  return (
    <tr ref={ref}>
      <td>
        <Link to={`/${project}/${id}`} class="row-link">
          <strong>{name ?? id}</strong> <span class="quiet mono">{id}</span>
        </Link>
      </td>
      <td class="number">{stats ? countText(stats.records) : ''}</td>
      <td class="number wide-only">{stats ? bytesText(stats.bytes) : ''}</td>
      <td class="number wide-only">{Object.keys(fields).length}</td>
      <td>
        <Badge kind={api?.access ?? 'user'}>{api?.access ?? 'user'}</Badge>{' '}
        {hasPublicWrites(definition) && <Badge kind="bad">{words.publicWrites}</Badge>}
      </td>
    </tr>
  );
}

const writes = ['create', 'update', 'delete'];

function hasPublicWrites({ api }: Definition): boolean {
  return writes.some((method) => {
    const { enabled = true, access = 'inherit' } = api?.methods?.[method] ?? {};
    return enabled && (access === 'inherit' ? (api?.access ?? 'user') : access) === 'public';
  });
}
