import type { Definition, Level } from '../../../client/admin.ts';
import { messageOf, useCollections } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Link } from '../../parts/link.tsx';
import { Empty, ErrorNote, Loaded } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { toast } from '../../parts/toasts.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import type { ScreenProps } from '../../router.ts';
import { texts } from '../../texts.ts';
import { LevelSelect } from './level-select.tsx';
import {
  type Api,
  collectionLevel,
  hasLevel,
  isOn,
  isPublicWrite,
  levelOf,
  type MethodName,
  methods,
  withMethod,
} from './methods.ts';
import { type Change, dropChange, keepChange, saveChanges, useChanges } from './use-changes.ts';

const { access: words } = texts;

/** All collections and all methods in one table, saved together. */
export function AccessOverview({ params: { project = '' } }: ScreenProps) {
  const collections = useCollections(project);
  const changes = useChanges(project);
  // After a reload the kept changes are there before the collections have loaded: until then they can't be saved.
  const definitions = collections.data;
  const save = useDeed(async () => {
    const changed = (definitions ?? []).flatMap((definition) => {
      const change = changes.get(definition.id);
      return change ? [[definition, change] as const] : [];
    });
    await saveChanges(project, changed);
    toast({ text: words.saved });
  });
  const discard = () => {
    for (const id of changes.keys()) dropChange(project, id);
  };
  const actions = (
    <>
      {changes.size > 0 && <span class="quiet">{words.changedOnes(changes.size)}</span>}
      {changes.size > 0 && (
        <Button disabled={save.busy} onClick={discard}>
          {words.discard}
        </Button>
      )}
      <Button
        kind="primary"
        saves
        busy={save.busy}
        disabled={changes.size === 0 || definitions === undefined}
        onClick={() => void save.run()}
      >
        {words.save}
      </Button>
    </>
  );
  return (
    <Page title={words.title} intro={words.overviewIntro} actions={actions} wide>
      {save.error !== undefined && <ErrorNote message={messageOf(save.error)} />}
      <Loaded query={collections}>
        {(list) =>
          list.length === 0 ? (
            <Empty title={texts.collections.none}>
              <p>{texts.collections.noneHint}</p>
            </Empty>
          ) : (
            <Overview
              project={project}
              list={list}
              changes={changes}
              onChange={(definition, api) => keepChange(project, definition, changes.get(definition.id), api)}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

interface OverviewProps {
  readonly project: string;
  readonly list: readonly Definition[];
  readonly changes: ReadonlyMap<string, Change>;
  readonly onChange: (definition: Definition, api: Api) => void;
}

function Overview({ project, list, changes, onChange }: OverviewProps) {
  return (
    <div class="table-wrap">
      <table class="table access">
        <thead>
          <tr>
            <th scope="col">{words.collection}</th>
            <th scope="col">{words.level}</th>
            {methods.map((method) => (
              <th key={method} scope="col">
                {words.methods[method]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {list.map((definition) => {
            const { id, name = id } = definition;
            const api = changes.get(id)?.api ?? definition.api ?? {};
            return (
              <tr key={id} class={changes.has(id) ? 'changed' : ''}>
                <th scope="row">
                  <Link to={`/${project}/${id}/_access`}>{name}</Link>
                </th>
                <td>
                  <LevelSelect
                    label={`${name}: ${words.level}`}
                    value={collectionLevel(api)}
                    short
                    onChange={(level) =>
                      level !== 'inherit' && onChange(definition, { ...api, access: level })
                    }
                  />
                </td>
                {methods.map((method) => (
                  <MethodCell
                    key={method}
                    label={`${name}: ${words.methods[method]}`}
                    api={api}
                    method={method}
                    onChange={(next) => onChange(definition, next)}
                  />
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps {
  readonly label: string;
  readonly api: Api;
  readonly method: MethodName;
  readonly onChange: (api: Api) => void;
}

/** A level, or off. Choosing the collection's own level makes the method inherit it. */
function MethodCell({ label, api, method, onChange }: CellProps) {
  const on = isOn(api, method);
  if (!hasLevel(method)) {
    return (
      <td>
        <input
          type="checkbox"
          aria-label={label}
          checked={on}
          onChange={(event) => onChange(withMethod(api, method, { enabled: event.currentTarget.checked }))}
        />
      </td>
    );
  }
  const choose = (value: string) => {
    if (value === 'off') return onChange(withMethod(api, method, { enabled: false }));
    const level = value as Level;
    return onChange(
      withMethod(api, method, { enabled: true, access: level === collectionLevel(api) ? 'inherit' : level }),
    );
  };
  return (
    <td>
      <select
        class={`input level${isPublicWrite(api, method) ? ' alarm' : ''}`}
        aria-label={label}
        value={on ? levelOf(api, method) : 'off'}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {(['public', 'user', 'workspace', 'off'] as const).map((value) => (
          <option key={value} value={value}>
            {words.short[value]}
          </option>
        ))}
      </select>
    </td>
  );
}
