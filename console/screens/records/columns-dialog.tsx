import { MoveDown, MoveUp, Pin } from 'lucide';
import type { Definition } from '../../../client/admin.ts';
import { labelOfField } from '../../model/fields.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Badge } from '../../parts/notes.tsx';
import { texts } from '../../texts.ts';
import { allFields, type Column, chooseColumns } from './columns.ts';

interface ColumnsDialogProps {
  readonly definition: Definition;
  readonly columns: readonly Column[];
  /** undefined: resets to the default. */
  readonly onColumns: (columns: readonly Column[] | undefined) => void;
  readonly onClose: () => void;
}

export function ColumnsDialog({ definition, columns, onColumns, onClose }: ColumnsDialogProps) {
  const shown = columns.map(({ field }) => field.name);
  const hidden = allFields(definition).filter(({ name }) => !shown.includes(name));
  const show = (name: string) => {
    const [column] = chooseColumns(definition, {}, [name]);
    if (column) onColumns([...columns, column]);
  };
  const move = (at: number, by: number) => {
    const next = [...columns];
    const [column] = next.splice(at, 1);
    if (column) next.splice(at + by, 0, column);
    onColumns(next);
  };
  const footer = (
    <>
      <Button onClick={() => onColumns(undefined)}>{texts.list.resetColumns}</Button>
      <Button kind="primary" onClick={onClose}>
        {texts.close}
      </Button>
    </>
  );
  return (
    <Dialog title={texts.list.columns} onClose={onClose} footer={footer}>
      <ul class="column-list">
        {columns.map((column, at) => {
          const label = labelOfField(column.field);
          return (
            <li key={column.field.name}>
              <label class="check grow">
                <input
                  type="checkbox"
                  checked
                  disabled={columns.length === 1}
                  onChange={() => onColumns(columns.filter((one) => one !== column))}
                />
                <span class="cut">
                  {label} <Badge>{column.field.type}</Badge>
                </span>
              </label>
              <Button
                kind="quiet"
                icon={Pin}
                label={texts.list.pinColumn(label)}
                pressed={column.pinned}
                onClick={() => onColumns(columns.with(at, { ...column, pinned: !column.pinned }))}
              />
              <Button
                kind="quiet"
                icon={MoveUp}
                label={texts.list.moveUp(label)}
                disabled={at === 0}
                onClick={() => move(at, -1)}
              />
              <Button
                kind="quiet"
                icon={MoveDown}
                label={texts.list.moveDown(label)}
                disabled={at === columns.length - 1}
                onClick={() => move(at, 1)}
              />
            </li>
          );
        })}
        {hidden.map((field) => (
          <li key={field.name}>
            <label class="check grow">
              <input type="checkbox" checked={false} onChange={() => show(field.name)} />
              <span class="cut">
                {labelOfField(field)} <Badge>{field.type}</Badge>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
