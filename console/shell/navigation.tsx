import {
  Boxes,
  type IconNode,
  KeyRound,
  LayoutGrid,
  Settings,
  Shield,
  ShieldUser,
  Table2,
  Users,
  Waypoints,
} from 'lucide';
import { useState } from 'preact/hooks';
import { useCollections, useProjects } from '../api.ts';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { Badge } from '../parts/notes.tsx';
import { isProduction } from '../production.ts';
import { findScreen } from '../routes.ts';
import { texts } from '../texts.ts';

interface Entry {
  readonly path: string;
  readonly text: string;
  readonly icon: IconNode;
}

/** Those of a project, by the end of their path. One whose screen is not there is not shown. */
const projectEntries: readonly Entry[] = [
  { path: '_relations', text: texts.nav.relations, icon: Waypoints },
  { path: '_access', text: texts.nav.access, icon: Shield },
  { path: '_users', text: texts.nav.users, icon: Users },
  { path: '_workspaces', text: texts.nav.workspaces, icon: Boxes },
  { path: '_keys', text: texts.nav.keys, icon: KeyRound },
  { path: '_settings', text: texts.nav.settings, icon: Settings },
];
const instanceEntries: readonly Entry[] = [
  { path: '/', text: texts.nav.projects, icon: LayoutGrid },
  { path: '/_administrators', text: texts.nav.administrators, icon: ShieldUser },
];

export function Navigation({ path }: { path: string }) {
  const project = findScreen(path)?.params.project;
  return (
    <div class="nav">
      {project === undefined ? (
        <Entries entries={instanceEntries} path={path} />
      ) : (
        <ProjectNavigation project={project} path={path} />
      )}
    </div>
  );
}

function Entries({ entries, path }: { entries: readonly Entry[]; path: string }) {
  return (
    <ul class="nav-list">
      {entries
        .filter((entry) => findScreen(entry.path))
        .map((entry) => (
          <li key={entry.path}>
            <Link to={entry.path} current={entry.path === path}>
              <Icon icon={entry.icon} /> {entry.text}
            </Link>
          </li>
        ))}
    </ul>
  );
}

/** From so many on, the list can be filtered. */
const filterable = 12;
/** No more are drawn: whoever has so many looks for one by its name. */
const mostShown = 200;

function ProjectNavigation({ project, path }: { project: string; path: string }) {
  const { data: projects } = useProjects();
  const { data: collections = [] } = useCollections(project);
  const [filter, setFilter] = useState('');
  const wanted = filter.trim().toLowerCase();
  const shown = collections.filter(
    ({ id, name }) => id.includes(wanted) || (name ?? '').toLowerCase().includes(wanted),
  );
  const name = projects?.find(({ id }) => id === project)?.name ?? project;
  return (
    <>
      <ul class="nav-list">
        <li>
          <Link to="/">
            <Icon icon={LayoutGrid} /> {texts.nav.allProjects}
          </Link>
        </li>
      </ul>
      <p class="nav-project cut" title={name}>
        {name} {isProduction(project) && <Badge kind="production">{texts.projects.production}</Badge>}
      </p>
      <ul class="nav-list">
        <li>
          <Link to={`/${project}`} current={path === `/${project}`}>
            <Icon icon={Table2} /> {texts.nav.collections}
          </Link>
        </li>
      </ul>
      {collections.length > filterable && (
        <input
          class="input nav-filter"
          type="search"
          aria-label={texts.nav.filterCollections}
          placeholder={texts.nav.filterCollections}
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      )}
      <ul class="nav-list nav-collections">
        {shown.slice(0, mostShown).map(({ id, name: title }) => (
          <li key={id}>
            <Link
              to={`/${project}/${id}`}
              current={path.startsWith(`/${project}/${id}`) && path.split('/')[2] === id}
            >
              <span class="cut">{title ?? id}</span>
            </Link>
          </li>
        ))}
      </ul>
      <Entries
        path={path}
        entries={projectEntries.map((entry) => ({ ...entry, path: `/${project}/${entry.path}` }))}
      />
    </>
  );
}
