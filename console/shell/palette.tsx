import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { useCollections, useProjects } from '../api.ts';
import { Dialog } from '../parts/dialog.tsx';
import { isComposing, isShortcut } from '../parts/keys.ts';
import { navigate } from '../router.ts';
import { texts } from '../texts.ts';
import { collectionsEntry, instanceEntries, projectEntries } from './entries.ts';

const { palette: words } = texts;

interface Target {
  readonly text: string;
  readonly kind: string;
  readonly path: string;
  readonly query?: string;
}

interface PaletteProps {
  readonly project: string | undefined;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
}

/** Opened by Ctrl K or the button in the navigation: goes to a collection, a screen, or a record by its id. */
export function Palette({ project, open, onOpen }: PaletteProps) {
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (!isShortcut(event, 'k')) return;
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) onOpen(true);
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
  return open ? <PaletteDialog project={project} onClose={() => onOpen(false)} /> : null;
}

const mostShown = 50;

function PaletteDialog({ project, onClose }: { project: string | undefined; onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const list = useId();
  const current = useRef<HTMLDivElement>(null);
  const targets = useTargets(project, text.trim());
  const shown = targets.slice(0, mostShown);
  const at = Math.min(chosen, shown.length - 1);
  useEffect(() => current.current?.scrollIntoView({ block: 'nearest' }), [at]);
  const go = (target: Target | undefined) => {
    if (!target) return;
    onClose();
    navigate(target.path, { query: target.query ?? '' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'ArrowDown') setChosen(Math.min(at + 1, shown.length - 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(at - 1, 0));
    else if (event.key === 'Enter') go(shown[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={words.title} onClose={onClose} atOnce>
      <div class="stack">
        <input
          class="input"
          role="combobox"
          aria-label={words.placeholder}
          aria-expanded
          aria-controls={list}
          aria-activedescendant={shown.length > 0 ? `${list}-${at}` : undefined}
          autocomplete="off"
          placeholder={words.placeholder}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
        {shown.length === 0 && <p class="quiet">{words.none}</p>}
        <div id={list} class="palette-list" role="listbox" aria-label={words.results}>
          {shown.map((target, index) => (
            <div
              key={`${target.path}?${target.query ?? ''}`}
              id={`${list}-${index}`}
              ref={index === at ? current : null}
              role="option"
              aria-selected={index === at}
              onPointerMove={() => setChosen(index)}
              onClick={() => go(target)}
              onKeyDown={() => {}}
            >
              <span class="cut">{target.text}</span>
              <span class="quiet">{target.kind}</span>
            </div>
          ))}
        </div>
      </div>
    </Dialog>
  );
}

const isId = /^[0-9a-f]{8}-[0-9a-f]{4}-/i;

function useTargets(project: string | undefined, text: string): readonly Target[] {
  const { data: projects = [] } = useProjects();
  const { data: collections = [] } = useCollections(project ?? '');
  const inProject = project === undefined ? [] : collections;
  const wanted = text.toLowerCase();
  if (isId.test(text)) {
    return inProject.map(({ id, name = id }) => ({
      text,
      kind: words.recordIn(name),
      path: `/${project}/${id}`,
      query: `_open=${text}`,
    }));
  }
  const all: Target[] = [
    ...inProject.map(({ id, name = id }) => ({
      text: name,
      kind: words.collection,
      path: `/${project}/${id}`,
    })),
    ...screensOf(project),
    ...inProject.flatMap(({ id, name = id }) => [
      { text: words.newRecord(name), kind: words.screen, path: `/${project}/${id}`, query: '_open=new' },
      { text: words.definition(name), kind: words.screen, path: `/${project}/${id}/_definition` },
    ]),
    ...projects.map(({ id, name }) => ({ text: name, kind: words.project, path: `/${id}` })),
  ];
  return all.filter(
    ({ text: shown, path }) => shown.toLowerCase().includes(wanted) || path.toLowerCase().includes(wanted),
  );
}

function screensOf(project: string | undefined): Target[] {
  const all: readonly { readonly text: string; readonly path: string }[] = [
    ...(project === undefined
      ? []
      : [
          collectionsEntry(project),
          { text: texts.collections.create, path: `/${project}/_new` },
          ...projectEntries(project),
        ]),
    ...instanceEntries,
  ];
  return all.map(({ text, path }) => ({ text, kind: words.screen, path }));
}
