import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { type Asked, Empty, Loaded } from './notes.tsx';

export interface ListingColumn<T> {
  readonly head: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Left out on a phone. */
  readonly wideOnly?: boolean;
  readonly number?: boolean;
}

interface TableProps<T> {
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  readonly columns: readonly ListingColumn<T>[];
  /** Actions at the end of a row. */
  readonly actions?: (row: T) => ComponentChildren;
}

export function ListingTable<T>({ rows, keyOf, columns, actions }: TableProps<T>) {
  const classOf = ({ wideOnly, number }: ListingColumn<T>) =>
    [wideOnly && 'wide-only', number && 'number'].filter(Boolean).join(' ') || undefined;
  return (
    <div class="table-wrap with-menus">
      <table class="table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.head} scope="col" class={classOf(column)}>
                {column.head}
              </th>
            ))}
            {actions && <td />}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.head} class={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
              {actions && <td class="row-actions">{actions(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ListingProps<T> extends Omit<TableProps<T>, 'rows'> {
  readonly query: Asked<readonly T[]>;
  /** Shown when there are no rows. */
  readonly empty: {
    readonly icon: IconNode;
    readonly title: string;
    readonly hint?: string;
    readonly action?: ComponentChildren;
  };
}

/** A table of rows, or its loading, error or empty state. */
export function Listing<T>({ query, empty, ...table }: ListingProps<T>) {
  return (
    <Loaded query={query}>
      {(rows) =>
        rows.length > 0 ? (
          <ListingTable {...table} rows={rows} />
        ) : (
          <Empty icon={empty.icon} title={empty.title}>
            {empty.hint !== undefined && <p>{empty.hint}</p>}
            {empty.action}
          </Empty>
        )
      }
    </Loaded>
  );
}
