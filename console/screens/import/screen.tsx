import { useRef, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { recordsOf } from '../../api.ts';
import { countText } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { CollectionPage, WithCollection } from '../../parts/collection-page.tsx';
import type { ScreenProps } from '../../router.ts';
import { texts } from '../../texts.ts';
import { ChooseFile } from './choose-file.tsx';
import { Faults } from './faults.tsx';
import { MapColumns } from './map-columns.tsx';
import type { Table } from './read-file.ts';
import { Result } from './result.tsx';
import { type Outcome, runImport } from './run-import.ts';
import { type Checked, findDuplicates, guessMapping, type Mapping, payloadOf } from './to-payload.ts';

const { imports: words } = texts;

export function ImportScreen({ params }: ScreenProps) {
  const { project = '' } = params;
  return (
    <WithCollection params={params}>
      {(definition) => <Import project={project} definition={definition} />}
    </WithCollection>
  );
}

type State =
  | { readonly kind: 'choosing' }
  | { readonly kind: 'checked'; readonly good: readonly Checked[]; readonly bad: readonly Checked[] }
  | { readonly kind: 'running'; readonly total: number; readonly written: number; readonly undoing: boolean }
  | { readonly kind: 'over'; readonly outcome: Outcome };

/** A file is chosen, its columns are told apart, every row is checked, and only then anything is written. */
function Import({ project, definition }: { project: string; definition: Definition }) {
  const { id, name = id } = definition;
  const [table, setTable] = useState<Table>();
  const [mapping, setMapping] = useState<Mapping>({});
  const [state, setState] = useState<State>({ kind: 'choosing' });
  const stop = useRef<AbortController>(undefined);

  const check = () => {
    const read = (table?.rows ?? []).map((row) => payloadOf(row, mapping, definition));
    const all = findDuplicates(read, definition);
    setState({
      kind: 'checked',
      good: all.filter(({ fault }) => fault === undefined),
      bad: all.filter(({ fault }) => fault !== undefined),
    });
  };
  const start = async (rows: readonly Checked[]) => {
    const controller = new AbortController();
    stop.current = controller;
    const total = rows.length;
    setState({ kind: 'running', total, written: 0, undoing: false });
    const outcome = await runImport({
      records: recordsOf(project, id),
      rows,
      signal: controller.signal,
      onProgress: (written) => setState({ kind: 'running', total, written, undoing: false }),
      onUndo: () => setState({ kind: 'running', total, written: 0, undoing: true }),
    });
    setState({ kind: 'over', outcome });
  };
  return (
    <CollectionPage project={project} collection={definition} called={words.title(name)} intro={words.intro}>
      {(state.kind === 'choosing' || state.kind === 'checked') && (
        <>
          <ChooseFile
            onTable={(next) => {
              setTable(next);
              setMapping(next ? guessMapping(next, definition) : {});
              setState({ kind: 'choosing' });
            }}
          />
          {table && (
            <MapColumns
              table={table}
              definition={definition}
              mapping={mapping}
              onChange={(next) => {
                setMapping(next);
                setState({ kind: 'choosing' });
              }}
            />
          )}
        </>
      )}
      {table && state.kind === 'choosing' && (
        <div>
          <Button kind="primary" onClick={check}>
            {words.check}
          </Button>
        </div>
      )}
      {state.kind === 'checked' && (
        <>
          <p aria-live="polite">{words.good(countText(state.good.length))}</p>
          {state.bad.length > 0 && <Faults bad={state.bad} />}
          <div>
            <Button kind="primary" disabled={state.good.length === 0} onClick={() => void start(state.good)}>
              {(state.bad.length > 0 ? words.startGood : words.start)(countText(state.good.length))}
            </Button>
          </div>
        </>
      )}
      {state.kind === 'running' && (
        <div class="stack" aria-live="polite">
          <progress max={state.total} value={state.written} aria-label={texts.bulk.progress} />
          <p>
            {state.undoing ? words.undoing : words.running(countText(state.written), countText(state.total))}
          </p>
          <div>
            <Button disabled={state.undoing} onClick={() => stop.current?.abort()}>
              {texts.stop}
            </Button>
          </div>
        </div>
      )}
      {state.kind === 'over' && (
        <Result
          outcome={state.outcome}
          to={`/${project}/${id}`}
          onAgain={() => {
            setTable(undefined);
            setState({ kind: 'choosing' });
          }}
        />
      )}
    </CollectionPage>
  );
}
