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
import { beginProgress, digestOf, isOf, type Progress, useProgress } from './progress.ts';
import type { Table } from './read-file.ts';
import { Result } from './result.tsx';
import { batchSize, type ImportRun, type Outcome, runImport, takeBack } from './run-import.ts';
import { Kept, Running } from './running.tsx';
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
  const [file, setFile] = useState<File>();
  const [mapping, setMapping] = useState<Mapping>({});
  const [state, setState] = useState<State>({ kind: 'choosing' });
  const [rows, setRows] = useState<readonly Checked[]>([]);
  const stop = useRef<AbortController>(undefined);
  const current = useRef<Progress>(undefined);
  const { kept, write } = useProgress(project, id);

  const check = () => {
    const read = (table?.rows ?? []).map((row) => payloadOf(row, mapping, definition));
    const all = findDuplicates(read, definition);
    setState({
      kind: 'checked',
      good: all.filter(({ fault }) => fault === undefined),
      bad: all.filter(({ fault }) => fault !== undefined),
    });
  };
  const runOf = (progress: Progress, sent: readonly Checked[]): ImportRun => {
    const controller = new AbortController();
    stop.current = controller;
    const { total, written: from, run } = progress;
    const show = (written: number, undoing: boolean) =>
      setState({ kind: 'running', total, written, undoing });
    show(from, false);
    return {
      records: recordsOf(project, id),
      rows: sent,
      run,
      from,
      signal: controller.signal,
      onProgress: (written) => {
        current.current = { ...progress, written };
        write(current.current);
        show(written, false);
      },
      onUndo: () => {
        write(undefined); // what is half taken back does not go on
        show(0, true);
      },
    };
  };
  const settle = (outcome: Outcome) => {
    if (outcome.kind === 'done') write(undefined);
    setState({ kind: 'over', outcome });
  };
  const start = async (progress: Progress, sent: readonly Checked[]) => {
    setRows(sent);
    current.current = progress;
    write(progress);
    settle(await runImport(runOf(progress, sent)));
  };
  const undo = async (progress: Progress, outcome: Outcome) => {
    const run = runOf(progress, rows);
    run.onUndo();
    const known = 'written' in outcome ? outcome.written : progress.written;
    const unknown = outcome.kind === 'broken' ? batchSize : 0;
    settle(await takeBack(run, Math.min(known + unknown, rows.length)));
  };
  const isSame =
    state.kind === 'checked' && kept?.total === state.good.length && kept.digest === digestOf(state.good);
  const begin = (good: readonly Checked[]) => {
    if (file) void start(isSame && kept ? kept : beginProgress(file, mapping, good), good);
  };
  return (
    <CollectionPage project={project} collection={definition} called={words.title(name)} intro={words.intro}>
      {(state.kind === 'choosing' || state.kind === 'checked') && (
        <>
          {kept && <Kept progress={kept} onForget={() => write(undefined)} />}
          <ChooseFile
            onTable={(next, from) => {
              setTable(next);
              setFile(from);
              const begun = from && isOf(kept, from) ? kept?.mapping : undefined;
              setMapping(next ? (begun ?? guessMapping(next, definition)) : {});
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
          <p aria-live="polite">
            {words.good(countText(state.good.length))} {isSame && words.isTheSame(countText(kept.written))}
          </p>
          {state.bad.length > 0 && <Faults bad={state.bad} />}
          <div>
            <Button kind="primary" disabled={state.good.length === 0} onClick={() => begin(state.good)}>
              {isSame
                ? words.goOnFrom(countText(kept.written))
                : (state.bad.length > 0 ? words.startGood : words.start)(countText(state.good.length))}
            </Button>
          </div>
        </>
      )}
      {state.kind === 'running' && <Running {...state} onStop={() => stop.current?.abort()} />}
      {state.kind === 'over' && (
        <Result
          outcome={state.outcome}
          to={`/${project}/${id}`}
          onGoOn={() => current.current && void start(current.current, rows)}
          onTakeBack={() => current.current && void undo(current.current, state.outcome)}
          onAgain={() => {
            setTable(undefined);
            setState({ kind: 'choosing' });
          }}
        />
      )}
    </CollectionPage>
  );
}
