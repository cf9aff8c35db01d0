import { Link } from '../../parts/link.tsx';
import { currentPlace } from '../../router.ts';
import { findScreen } from '../../routes.ts';
import { texts } from '../../texts.ts';

const tabs = [
  { end: '', text: texts.tabs.records },
  { end: '/_definition', text: texts.tabs.definition },
  { end: '/_access', text: texts.tabs.access },
  { end: '/_import', text: texts.tabs.import },
  { end: '/_api', text: texts.tabs.api },
];

/** What there is of a collection. A screen that is not in the table of routes has no tab. */
export function CollectionTabs({ project, collection }: { project: string; collection: string }) {
  const { path } = currentPlace();
  const shown = tabs
    .map(({ end, text }) => ({ to: `/${project}/${collection}${end}`, text }))
    .filter(({ to }) => findScreen(to));
  if (shown.length < 2) return null;
  return (
    <nav class="tabs" aria-label={texts.tabs.label}>
      {shown.map(({ to, text }) => (
        <Link key={to} to={to} current={to === path}>
          {text}
        </Link>
      ))}
    </nav>
  );
}
