import { Download, PencilLine, Trash2, X } from 'lucide';
import { useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { countText } from '../../format.ts';
import type { ListQuery } from '../../model/list-query.ts';
import { Button } from '../../parts/button.tsx';
import { texts } from '../../texts.ts';
import { BulkDelete } from './bulk-delete.tsx';
import { BulkEdit } from './bulk-edit.tsx';
import type { Column } from './columns.ts';
import { downloadList } from './list-code.ts';
import type { SelectionControl } from './selection.ts';

interface BulkBarProps {
  readonly project: string;
  readonly definition: Definition;
  readonly all: readonly Definition[];
  readonly query: ListQuery;
  readonly columns: readonly Column[];
  readonly control: SelectionControl;
  readonly onDone: () => void;
}

/** What can be done with all that is selected. */
export function BulkBar(props: BulkBarProps) {
  const { project, definition, query, columns, control } = props;
  const [doing, setDoing] = useState<'edit' | 'delete'>();
  const { selection } = control;
  if (selection.kind === 'some' && selection.ids.size === 0) return null;
  const close = (changed: boolean) => {
    setDoing(undefined);
    if (!changed) return;
    control.clear();
    props.onDone();
  };
  /** Some are exported by naming them; all that match by the query itself. */
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
      <Button icon={PencilLine} onClick={() => setDoing('edit')}>
        {texts.edit}
      </Button>
      <Button
        icon={Download}
        disabled={selection.kind === 'some' && selection.ids.size > 200}
        onClick={() => void downloadList(what, 'csv')}
      >
        CSV
      </Button>
      <Button icon={Trash2} onClick={() => setDoing('delete')}>
        {texts.remove}
      </Button>
      <Button kind="quiet" icon={X} label={texts.bulk.clear} onClick={() => control.clear()} />
      {doing === 'edit' && <BulkEdit {...props} selection={selection} onClose={close} />}
      {doing === 'delete' && <BulkDelete {...props} selection={selection} onClose={close} />}
    </div>
  );
}
