import { ChevronsUpDown, LayoutGrid } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useCollections, useProjects } from '../api.ts';
import { countText } from '../format.ts';
import { Icon } from '../parts/icon.tsx';
import { Link } from '../parts/link.tsx';
import { Menu } from '../parts/menu.tsx';
import { Badge } from '../parts/notes.tsx';
import { useProduction } from '../production.ts';
import { navigate } from '../router.ts';
import { findScreen } from '../routes.ts';
import { texts } from '../texts.ts';
import { collectionsEntry, type Entry, instanceEntries, projectEntries } from './entries.ts';

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
      {entries.map((entry) => (
        <li key={entry.path}>
          <Link to={entry.path} current={entry.path === path}>
            <Icon icon={entry.icon} /> {entry.text}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** A list with more collections gets a filter. */
const filterable = 12;
/** Most collections that are rendered; with more, people look for one by its name. */
const mostShown = 200;

function ProjectNavigation({ project, path }: { project: string; path: string }) {
  const { data: collections = [] } = useCollections(project);
  const [filter, setFilter] = useState('');
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => showCurrent(list.current), [path, collections.length]);
  const wanted = filter.trim().toLowerCase();
  const shown = collections.filter(
    ({ id, name }) => id.includes(wanted) || (name ?? '').toLowerCase().includes(wanted),
  );
  return (
    <>
      <ProjectSwitch project={project} />
      <Entries path={path} entries={[collectionsEntry(project)]} />
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
      <ul ref={list} class={`nav-list nav-collections${collections.length > filterable ? ' many' : ''}`}>
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
        {shown.length > mostShown && (
          <li class="quiet nav-rest">{texts.collections.rest(countText(shown.length - mostShown))}</li>
        )}
      </ul>
      <Entries path={path} entries={projectEntries(project)} />
    </>
  );
}

/** Not with `scrollIntoView`: the Tab key would continue from there and skip what is above. */
function showCurrent(list: HTMLElement | null): void {
  const current = list?.querySelector<HTMLElement>('[aria-current]');
  if (!list || !current) return;
  const top = current.getBoundingClientRect().top - list.getBoundingClientRect().top;
  if (top < 0 || top + current.offsetHeight > list.clientHeight)
    list.scrollTop += top - list.clientHeight / 2;
}

/** Most projects in the menu; the others are found with Ctrl K or on the screen of all projects. */
const mostInMenu = 30;

/** Shows the current project, and switches to another. */
function ProjectSwitch({ project }: { project: string }) {
  const { data: projects = [] } = useProjects();
  const production = useProduction(project);
  const name = projects.find(({ id }) => id === project)?.name ?? project;
  // Names are not unique: a project restored from a backup has the name of the original.
  const isShared = (one: string) => projects.filter((other) => other.name === one).length > 1;
  const labelOf = (id: string, one: string) => (isShared(one) && one !== id ? `${one} (${id})` : one);
  return (
    <div class="project-switch">
      <Menu
        label={texts.nav.switchProject}
        class="project-button"
        items={[
          ...projects.slice(0, mostInMenu).map(({ id, name: other }) => ({
            label: labelOf(id, other),
            checked: id === project,
            run: () => navigate(`/${id}`),
          })),
          'line',
          { label: texts.nav.allProjects, icon: LayoutGrid, run: () => navigate('/') },
        ]}
      >
        <span class="cut grow" title={project}>
          {labelOf(project, name)}
        </span>
        {production && <Badge kind="production">{texts.projects.production}</Badge>}
        <Icon icon={ChevronsUpDown} size={14} />
      </Menu>
    </div>
  );
}
