import type { Definition } from '../../../client/admin.ts';
import { countText } from '../../format.ts';
import { fieldsOf, labelOfField } from '../../model/fields.ts';
import { texts } from '../../texts.ts';
import type { Table } from './read-file.ts';
import { type Mapping, repeatedColumns } from './to-payload.ts';

const { imports: words } = texts;

interface MapProps {
  readonly table: Table;
  readonly definition: Definition;
  readonly mapping: Mapping;
  readonly onChange: (mapping: Mapping) => void;
}

/** Chooses a field for each column of the file. */
export function MapColumns({ table, definition, mapping, onChange }: MapProps) {
  const fields = fieldsOf(definition);
  const repeated = repeatedColumns(table, mapping);
  return (
    <section class="stack">
      <h2>
        {words.columns} <span class="quiet">{words.rows(countText(table.rows.length))}</span>
      </h2>
      {fields.some(({ type }) => type === 'relation') && <p class="quiet">{words.related}</p>}
      <div class="table-wrap">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{words.column}</th>
              <th scope="col" class="wide-only">
                {words.sample}
              </th>
              <th scope="col">{words.field}</th>
            </tr>
          </thead>
          <tbody>
            {table.columns.map((column, at) => (
              <tr key={column}>
                <th scope="row">{column}</th>
                <td class="wide-only sample cut">{sampleOf(table, column)}</td>
                <td>
                  <select
                    class="input"
                    aria-label={`${column}: ${words.field}`}
                    aria-invalid={repeated.has(column) || undefined}
                    aria-describedby={repeated.has(column) ? `same-${at}` : undefined}
                    value={mapping[column] ?? ''}
                    onChange={(event) => onChange({ ...mapping, [column]: event.currentTarget.value })}
                  >
                    <option value="">{words.ignore}</option>
                    {fields.map((field) => (
                      <option key={field.name} value={field.name}>
                        {labelOfField(field)}
                      </option>
                    ))}
                  </select>
                  {repeated.has(column) && (
                    <p class="field-error" id={`same-${at}`}>
                      {words.sameField}
                    </p>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function sampleOf({ rows }: Table, column: string): string {
  const value = rows.find(({ values }) => values[column] !== undefined && values[column] !== '')?.values[
    column
  ];
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}
