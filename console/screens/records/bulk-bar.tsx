import { Download, PencilLine, Trash2, X } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { countText } from '../../format.ts';
import type { ListQuery } from '../../model/list-query.ts';
import { Button } from '../../parts/button.tsx';
import { texts } from '../../texts.ts';
import { BulkDelete } from './bulk-delete.tsx';
import { BulkEdit } from './bulk-edit.tsx';
import type { Column } from './columns.ts';
import { downloadList } from './list-code.ts';
import type { Selection, SelectionControl } from './selection.ts';

interface BulkBarProps {
  readonly project: string;
  readonly definition: Definition;
  readonly all: readonly Definition[];
  readonly query: ListQuery;
  readonly columns: readonly Column[];
  readonly control: SelectionControl;
  readonly onDone: () => void;
}

/** A bulk action, with the selection as it was when the button was clicked. */
interface Doing {
  readonly what: 'edit' | 'delete';
  readonly selection: Selection;
  readonly query: ListQuery;
}

/** Actions for all selected records. */
export function BulkBar(props: BulkBarProps) {
  const { query, control } = props;
  const [doing, setDoing] = useState<Doing>();
  const [running, setRunning] = useState(false);
  const { selection, isEmpty } = control;
  // The dialog closes when nothing is selected any more, unless it is running: then it stays, so that it can be stopped.
  useEffect(() => {
    if (isEmpty && !running) setDoing(undefined);
  }, [isEmpty]);
  const close = (changed: boolean) => {
    setDoing(undefined);
    setRunning(false);
    if (!changed) return;
    control.clear();
    props.onDone();
  };
  const Dialog = doing?.what === 'edit' ? BulkEdit : BulkDelete;
  return (
    <>
      {!isEmpty && <Bar {...props} onAsk={(what) => setDoing({ what, selection, query })} />}
      {doing && (
        <Dialog
          {...props}
          selection={doing.selection}
          query={doing.query}
          onRunning={setRunning}
          onClose={close}
        />
      )}
    </>
  );
}

interface BarProps extends BulkBarProps {
  readonly onAsk: (what: Doing['what']) => void;
}

function Bar({ project, definition, query, columns, control, onAsk }: BarProps) {
  const { selection } = control;
  const tooMany = selection.kind === 'some' && selection.ids.size > 200;
  /** Selected records are exported by their ids, all that match by the query. */
  const what = {
    project,
    definition,
    columns,
    query:
      selection.kind === 'all'
        ? query
        : {
            ...query,
            search: '',
            conditions: [{ field: '_id', operator: '=' as const, values: [...selection.ids] }],
          },
  };
  return (
    <div class="bulk" role="region" aria-label={texts.bulk.label}>
      <strong>
        {selection.kind === 'all'
          ? texts.bulk.allSelected
          : texts.bulk.selected(countText(selection.ids.size))}
      </strong>
      {selection.kind === 'some' && (
        <Button kind="quiet" onClick={() => control.selectAll()}>
          {texts.bulk.selectAll}
        </Button>
      )}
      <span class="grow" />
      <Button icon={PencilLine} onClick={() => onAsk('edit')}>
        {texts.edit}
      </Button>
      <Button
        icon={Download}
        {...(tooMany && { label: texts.bulk.tooManyNamed })}
        disabled={tooMany}
        onClick={() => void downloadList(what, 'csv')}
      >
        CSV
      </Button>
      <Button icon={Trash2} onClick={() => onAsk('delete')}>
        {texts.remove}
      </Button>
      <Button kind="quiet" icon={X} label={texts.bulk.clear} onClick={() => control.clear()} />
    </div>
  );
}
