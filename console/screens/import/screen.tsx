import { useEffect, useRef } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { messageOf } from '../../api.ts';
import { countText } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { CollectionPage, WithCollection } from '../../parts/collection-page.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import type { ScreenProps } from '../../router.ts';
import { texts } from '../../texts.ts';
import { ChooseFile } from './choose-file.tsx';
import { Faults } from './faults.tsx';
import { MapColumns } from './map-columns.tsx';
import { Result } from './result.tsx';
import type { Refusal } from './run-import.ts';
import { Kept, Running } from './running.tsx';
import { repeatedColumns } from './to-payload.ts';
import { type ImportControl, type ImportState, useImport } from './use-import.ts';

const { imports: words } = texts;

export function ImportScreen({ params }: ScreenProps) {
  const { project = '' } = params;
  return (
    <WithCollection params={params}>
      {(definition, all) => <Import project={project} definition={definition} all={all} />}
    </WithCollection>
  );
}

interface ImportProps {
  readonly project: string;
  readonly definition: Definition;
  readonly all: readonly Definition[];
}

function Import({ project, definition, all }: ImportProps) {
  const { id, name = id } = definition;
  const control = useImport(project, definition, all);
  const { state } = control;
  const isChoosing = state.kind === 'choosing' || state.kind === 'checked';
  return (
    <CollectionPage project={project} collection={definition} called={words.title(name)} intro={words.intro}>
      {/* Stays mounted, so that the chosen file is still there after a refusal. */}
      <div key={control.round} class="choosing" hidden={!isChoosing}>
        <Choosing definition={definition} control={control} />
      </div>
      {state.kind === 'checked' && <Found state={state} onBegin={control.begin} />}
      {state.kind === 'running' && <Running {...state} onStop={control.stop} />}
      {state.kind === 'over' && (
        <Result
          outcome={state.outcome}
          to={`/${project}/${id}`}
          onGoOn={control.goOn}
          onTakeBack={control.takeBack}
          onAgain={control.again}
        />
      )}
    </CollectionPage>
  );
}

/** Choosing a file and mapping its columns to fields. */
function Choosing({ definition, control }: { definition: Definition; control: ImportControl }) {
  const { table, mapping, restores, kept, state, check } = control;
  return (
    <>
      {kept && <Kept progress={kept} onForget={control.forget} />}
      <ChooseFile onTable={control.choose} />
      {table && <MapColumns {...{ table, definition, mapping }} onChange={control.map} />}
      {restores !== undefined && (
        <label class="check">
          <input
            type="checkbox"
            checked={restores}
            onChange={(event) => control.restore(event.currentTarget.checked)}
          />
          <span>{words.restore}</span>
        </label>
      )}
      {table && state.kind === 'choosing' && (
        <div>
          <Button
            kind="primary"
            busy={check.busy}
            disabled={repeatedColumns(table, mapping).size > 0}
            onClick={() => void check.run()}
          >
            {words.check}
          </Button>
        </div>
      )}
      {check.error !== undefined && <ErrorNote message={messageOf(check.error)} />}
    </>
  );
}

interface FoundProps {
  readonly state: Extract<ImportState, { readonly kind: 'checked' }>;
  readonly onBegin: () => void;
}

/** The result of the check. */
function Found({ state: { good, bad, begun, refusal }, onBegin }: FoundProps) {
  const action = begun
    ? words.goOnFrom(countText(begun.written))
    : (bad.length > 0 ? words.startGood : words.start)(countText(good.length));
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.scrollIntoView({ block: 'nearest' }), [good]);
  return (
    <section ref={section} class="stack" aria-label={words.found}>
      {refusal && <ErrorNote message={sentenceOf(refusal)} />}
      <p aria-live="polite">
        {words.good(countText(good.length))} {begun && words.isTheSame(countText(begun.written))}
      </p>
      {bad.length > 0 && <Faults bad={bad} />}
      <div>
        <Button kind="primary" disabled={good.length === 0} onClick={onBegin}>
          {action}
        </Button>
      </div>
    </section>
  );
}

const sentenceOf = ({ error, rows }: Refusal) =>
  rows.size === 0 ? words.refused(error) : words.refusedRows(countText(rows.size));
