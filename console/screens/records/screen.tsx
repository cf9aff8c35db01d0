import { ArrowUp } from 'lucide';
import { useMemo, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import { recordsOf } from '../../api.ts';
import { type Draft, draftKey, useDrafts } from '../../model/drafts.ts';
import { type AnyRecord, labelField, type NamedField, sameValue } from '../../model/fields.ts';
import { labelOf, labelsOf } from '../../model/labels.ts';
import {
  type Condition,
  type ListQuery,
  readListQuery,
  writeApiQuery,
  writeListQuery,
} from '../../model/list-query.ts';
import { usePendingDeletes } from '../../model/pending-deletes.ts';
import type { RecordDraft } from '../../model/save-drafts.ts';
import { keepDraft } from '../../model/settle-draft.ts';
import { Button } from '../../parts/button.tsx';
import { CollectionPage, WithCollection } from '../../parts/collection-page.tsx';
import { ErrorNote, Skeleton } from '../../parts/notes.tsx';
import type { ScreenProps } from '../../router.ts';
import { navigate, usePlace } from '../../router.ts';
import { texts } from '../../texts.ts';
import { useViewer, viewerKey } from '../../viewer.ts';
import { Creating } from '../record/create-inside.tsx';
import { RecordPanel } from '../record/panel.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { type Column, chooseColumns, keepColumns, readColumns } from './columns.ts';
import { DraftsBar } from './drafts-bar.tsx';
import { FilterDialog } from './filter-dialog.tsx';
import { Grid } from './grid.tsx';
import { HeadActions } from './head-actions.tsx';
import { IndexHint } from './index-hint.tsx';
import { NoRecords } from './no-records.tsx';
import { useRecordList } from './record-list.ts';
import { useSelection } from './selection.ts';
import { Toolbar } from './toolbar.tsx';
import { useLive } from './use-live.ts';

export function RecordsScreen({ params }: ScreenProps) {
  const { project = '' } = params;
  return (
    <WithCollection params={params}>
      {(definition, all) => (
        <Creating project={project} all={all}>
          <Records project={project} definition={definition} all={all} />
        </Creating>
      )}
    </WithCollection>
  );
}

interface RecordsProps {
  readonly project: string;
  readonly definition: Definition;
  readonly all: readonly Definition[];
}

/** The fields of the columns, the label for cards and dialogs, and `_updatedAt`, the version that an edit is based on. */
function fieldsToRead(columns: readonly Column[], definition: Definition): string[] {
  const label = labelField(definition);
  const names = [
    ...columns.map(({ field }) => field.name),
    '_updatedAt',
    ...(label === undefined ? [] : [label]),
  ];
  return [...new Set(names)];
}

/** Drafts of existing records; that of a new one is not saved together with others. */
function changesOf(drafts: ReadonlyMap<string, Draft>): RecordDraft[] {
  return [...drafts].flatMap(([id, { base, ...draft }]) => (base ? [{ id, draft: { ...draft, base } }] : []));
}

function Records({ project, definition, all }: RecordsProps) {
  const { path, query: text } = usePlace();
  const query = useMemo(() => readListQuery(text), [text]);
  const [generation, setGeneration] = useState(0);
  const [kept, setKept] = useState(() => readColumns(project, definition.id));
  const [filtering, setFiltering] = useState<Partial<Condition> & { readonly at?: number }>();
  const columns = useMemo(
    () => chooseColumns(definition, kept, query.columns),
    [definition, kept, query.columns],
  );
  useViewer(project); // renders again, with other `records`, when the viewer changes
  const records = recordsOf(project, definition.id);
  const fields = fieldsToRead(columns, definition);
  // A saved record may have a new name, which relations to it show too.
  const list = useRecordList(records, query, fields, generation, (record) =>
    labelsOf(project, definition).set(record._id, labelOf(definition, record)),
  );
  const others = useLive(records, list, query, fields);
  const pending = usePendingDeletes();
  const rows = useMemo(() => list.rows.filter(({ _id }) => !pending.has(_id)), [list.rows, pending]);
  const control = useSelection(
    rows.map(({ _id }) => _id),
    `${viewerKey(project)} ${writeApiQuery({ ...query, sort: [] })}`,
  );
  const drafts = useDrafts(project, definition.id);
  const waiting = useMemo(() => changesOf(drafts), [drafts]);
  const [inPlace, setInPlace] = useState(false);
  const edit = (record: AnyRecord, field: NamedField, value: Json) => {
    const known = drafts.get(record._id);
    const base = known?.base ?? record;
    const { [field.name]: _, ...others } = known?.values ?? {};
    const values = sameValue(value, base[field.name]) ? others : { ...others, [field.name]: value };
    keepDraft(draftKey(project, definition.id, record._id), base, values, known?.text);
  };

  const change = (next: Partial<ListQuery>, replace = false) =>
    navigate(path, { query: writeListQuery({ ...query, ...next }), replace });
  const changeQuery = (next: Partial<ListQuery>) => {
    control.clear();
    change(next);
  };
  const changeColumns = (next: readonly Column[] | undefined) => {
    const choice = next && {
      names: next.map(({ field }) => field.name),
      widths: Object.fromEntries(next.map(({ field, width }) => [field.name, width])),
      pinned: next.filter(({ pinned }) => pinned).map(({ field }) => field.name),
    };
    keepColumns(project, definition.id, choice);
    setKept(choice ?? {});
    change({ columns: choice?.names }, true);
  };
  const changeConditions = (conditions: readonly Condition[]) => changeQuery({ conditions });
  const shared = { project, definition, all, query };
  const at = rows.findIndex(({ _id }) => _id === query.open);
  return (
    <CollectionPage
      project={project}
      collection={definition}
      called={definition.name ?? definition.id}
      full
      actions={
        <HeadActions
          {...shared}
          columns={columns}
          hasNewDraft={drafts.has('new') && query.open !== 'new'}
          inPlace={inPlace}
          onInPlace={() => {
            setInPlace(!inPlace);
            change({ open: undefined });
          }}
          onCreate={() => change({ open: 'new' })}
          onReload={() => setGeneration(generation + 1)}
          onColumns={changeColumns}
          onView={(view) => navigate(path, { query: view })}
        />
      }
    >
      <Toolbar
        {...shared}
        list={list}
        shown={rows.length}
        onChange={changeQuery}
        onFilter={(condition) => setFiltering(condition)}
      />
      <IndexHint definition={definition} query={query} />
      <div class={`split${query.open === undefined ? '' : ' open'}`}>
        <div class="split-list">
          <div class="live" role="status">
            {others > 0 && (
              <Button icon={ArrowUp} onClick={() => setGeneration(generation + 1)}>
                {texts.list.others(others)}
              </Button>
            )}
          </div>
          {list.state === 'failed' && (
            <ErrorNote message={list.error ?? ''} onRetry={() => setGeneration(generation + 1)} />
          )}
          {list.state === 'loading' && (
            <div class="grid-wait">
              <Skeleton lines={12} />
            </div>
          )}
          {/* The grid stays mounted while it reloads, so that sorting does not lose the focus. */}
          {rows.length === 0 && list.state === 'end' ? (
            <NoRecords
              query={query}
              onClear={() => changeQuery({ conditions: [], search: '' })}
              onCreate={() => change({ open: 'new' })}
              importAt={`${path}/_import`}
            />
          ) : (
            <Grid
              {...shared}
              columns={columns}
              rows={rows}
              open={query.open}
              drafts={drafts}
              onEdit={inPlace ? edit : undefined}
              sort={query.sort}
              more={list.state === 'more'}
              onMore={() => void list.load()}
              onOpen={(id) => change({ open: id }, query.open !== undefined)}
              onEscape={() => (control.isEmpty ? change({ open: undefined }) : control.clear())}
              control={control}
              onSort={(sort) => changeQuery({ sort })}
              onFilter={(field: NamedField) => setFiltering({ field: field.name })}
              onColumns={changeColumns}
            />
          )}
          <DraftsBar
            {...shared}
            drafts={waiting}
            aside={query.open !== undefined}
            onSaved={(saved) => {
              for (const record of saved) list.put(record);
            }}
            onOpen={(id) => change({ open: id }, query.open !== undefined)}
          />
          <BulkBar
            {...shared}
            control={control}
            columns={columns}
            onDone={() => setGeneration(generation + 1)}
          />
        </div>
        {query.open !== undefined && (
          <RecordPanel
            key={`${query.open} ${viewerKey(project)}`}
            {...shared}
            id={query.open}
            previous={rows[at - 1]?._id}
            next={at < 0 ? undefined : rows[at + 1]?._id}
            onGo={(id) => change({ open: id }, true)}
            onClose={() => change({ open: undefined })}
            onSaved={(record) => list.put(record)}
            onRemoved={(id) => list.remove(new Set([id]))}
          />
        )}
      </div>
      {filtering && (
        <FilterDialog
          {...shared}
          start={filtering}
          onClose={() => setFiltering(undefined)}
          onApply={(condition) => {
            setFiltering(undefined);
            const { at: place } = filtering;
            changeConditions(
              place === undefined
                ? [...query.conditions, condition]
                : query.conditions.with(place, condition),
            );
          }}
        />
      )}
    </CollectionPage>
  );
}
