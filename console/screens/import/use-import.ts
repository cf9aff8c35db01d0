import { useRef, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { recordsOf } from '../../api.ts';
import { type Deed, useDeed } from '../../parts/use-deed.ts';
import { checkRows } from './check-rows.ts';
import { beginProgress, digestOf, isOf, type Progress, useProgress } from './progress.ts';
import type { Table } from './read-file.ts';
import { batchSize, type ImportRun, type Outcome, type Refusal, runImport, takeBack } from './run-import.ts';
import { type Checked, guessMapping, isDefused, type Mapping, withFaults } from './to-payload.ts';

export type ImportState =
  | { readonly kind: 'choosing' }
  | {
      readonly kind: 'checked';
      readonly good: readonly Checked[];
      readonly bad: readonly Checked[];
      /** Set if some of these same rows were written before a reload or a lost connection. */
      readonly begun?: Progress | undefined;
      /** Why an import of them, of which nothing was kept, was refused. */
      readonly refusal?: Refusal;
    }
  | { readonly kind: 'running'; readonly total: number; readonly written: number; readonly undoing: boolean }
  | { readonly kind: 'over'; readonly outcome: Outcome };

export interface ImportControl {
  readonly state: ImportState;
  readonly table: Table | undefined;
  readonly mapping: Mapping;
  /** Whether the ' before formulas is taken off; undefined: there is none. */
  readonly restores: boolean | undefined;
  /** Increases with every new import, so that the choice of a file starts over. */
  readonly round: number;
  /** An import that a reload or a lost connection has interrupted. */
  readonly kept: Progress | undefined;
  forget(): void;
  choose(table: Table | undefined, file?: File): void;
  map(mapping: Mapping): void;
  restore(on: boolean): void;
  readonly check: Deed;
  begin(): void;
  stop(): void;
  goOn(): void;
  takeBack(): void;
  again(): void;
}

/** The steps of an import: choose a file, map its columns, check every row, and only then write. */
export function useImport(
  project: string,
  definition: Definition,
  all: readonly Definition[],
): ImportControl {
  const [table, setTable] = useState<Table>();
  const [file, setFile] = useState<File>();
  const [mapping, setMapping] = useState<Mapping>({});
  const [restores, setRestores] = useState<boolean>();
  const [state, setState] = useState<ImportState>({ kind: 'choosing' });
  const [round, setRound] = useState(0);
  const { kept, write } = useProgress(project, definition.id);
  const run = useRun(project, definition.id, setState, write);
  const restart = () => setState({ kind: 'choosing' });
  const check = useDeed(async () => {
    const checked = await checkRows(
      table?.rows ?? [],
      { mapping, restores: restores ?? false },
      { project, definition, all },
    );
    const { good, bad } = byFaults(checked);
    const isSame = kept?.total === good.length && kept.digest === digestOf(good);
    setState({ kind: 'checked', good, bad, begun: isSame ? kept : undefined });
  });
  return {
    state,
    table,
    mapping,
    restores,
    round,
    kept,
    forget() {
      write(undefined);
      restart();
    },
    choose(next, from) {
      setTable(next);
      setFile(from);
      const begun = from && isOf(kept, from) ? kept?.mapping : undefined;
      setMapping(next ? (begun ?? guessMapping(next, definition)) : {});
      setRestores(next && isDefused(next) ? true : undefined);
      restart();
    },
    map(next) {
      setMapping(next);
      restart();
    },
    restore(on) {
      setRestores(on);
      restart();
    },
    check,
    begin() {
      if (state.kind !== 'checked' || !file) return;
      void run.start(state.begun ?? beginProgress(file, mapping, state.good), state);
    },
    stop: run.stop,
    goOn: run.goOn,
    takeBack: () => state.kind === 'over' && void run.undo(state.outcome),
    again() {
      setTable(undefined);
      setRound(round + 1);
      restart();
    },
  };
}

/** Rows with and without faults. */
interface Sorted {
  readonly good: readonly Checked[];
  readonly bad: readonly Checked[];
}

const byFaults = (rows: readonly Checked[]): Sorted => ({
  good: rows.filter(({ faults }) => faults.length === 0),
  bad: rows.filter(({ faults }) => faults.length > 0),
});

/** The rows that the server named have its faults, so that the others can be imported. */
function afterRefusal({ good, bad }: Sorted, { rows }: Refusal): Sorted {
  const now = good.map((one) => withFaults(one, rows.get(one.row.number) ?? []));
  return byFaults([...bad, ...now].sort((one, other) => one.row.number - other.row.number));
}

/** Runs an import and tracks its progress. */
function useRun(
  project: string,
  collection: string,
  setState: (state: ImportState) => void,
  write: (progress: Progress | undefined) => void,
) {
  const sorted = useRef<Sorted>({ good: [], bad: [] });
  const current = useRef<Progress>(undefined);
  const controller = useRef<AbortController>(undefined);
  const runOf = (progress: Progress): ImportRun => {
    controller.current = new AbortController();
    const { total, written: from, run } = progress;
    const show = (written: number, undoing: boolean) =>
      setState({ kind: 'running', total, written, undoing });
    show(from, false);
    return {
      records: recordsOf(project, collection),
      rows: sorted.current.good,
      run,
      from,
      signal: controller.current.signal,
      onProgress: (written) => {
        current.current = { ...progress, written };
        write(current.current);
        show(written, false);
      },
      onUndo: () => {
        write(undefined); // a half-deleted import must not be resumed
        show(0, true);
      },
    };
  };
  const settle = (outcome: Outcome) => {
    if (outcome.kind === 'done') write(undefined);
    const refusal = outcome.kind === 'undone' ? outcome.refusal : undefined;
    if (refusal) setState({ kind: 'checked', ...afterRefusal(sorted.current, refusal), refusal });
    else setState({ kind: 'over', outcome });
  };
  const start = async (progress: Progress, checked: Sorted) => {
    sorted.current = checked;
    current.current = progress;
    write(progress);
    settle(await runImport(runOf(progress)));
  };
  const undo = async (outcome: Outcome) => {
    if (!current.current) return;
    const run = runOf(current.current);
    run.onUndo();
    const known = 'written' in outcome ? outcome.written : current.current.written;
    const unknown = outcome.kind === 'broken' ? batchSize : 0;
    settle(await takeBack(run, Math.min(known + unknown, sorted.current.good.length)));
  };
  return {
    start,
    undo,
    goOn: () => current.current && void start(current.current, sorted.current),
    stop: () => controller.current?.abort(),
  };
}
