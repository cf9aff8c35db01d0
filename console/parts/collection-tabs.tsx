import { readListQuery, writeListQuery } from '../model/list-query.ts';
import { currentPlace } from '../router.ts';
import { texts } from '../texts.ts';
import { Link } from './link.tsx';

const tabs = [
  { end: '', text: texts.tabs.records },
  { end: '/_definition', text: texts.tabs.definition },
  { end: '/_access', text: texts.tabs.access },
  { end: '/_import', text: texts.tabs.import },
  { end: '/_api', text: texts.tabs.api },
];

export function CollectionTabs({ project, collection }: { project: string; collection: string }) {
  const { path, query } = currentPlace();
  // The query goes along between the list and the API screen, which shows code for the same records.
  const shown = path.endsWith('/_access') ? '' : writeListQuery({ ...readListQuery(query), open: undefined });
  return (
    <nav class="tabs" aria-label={texts.tabs.label}>
      {tabs.map(({ end, text }) => {
        const to = `/${project}/${collection}${end}`;
        return (
          <Link key={to} to={to} query={end === '' || end === '/_api' ? shown : ''} current={to === path}>
            {text}
          </Link>
        );
      })}
    </nav>
  );
}
