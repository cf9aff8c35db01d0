import type { Definition } from '../../../client/admin.ts';
import { findField, isSortable, labelOfField } from '../../model/fields.ts';
import { texts } from '../../texts.ts';
import { allFields } from './columns.ts';

interface SortSelectProps {
  readonly definition: Definition;
  readonly sort: readonly string[];
  readonly onSort: (sort: readonly string[]) => void;
}

/** Sorts a list that has no header to click, as on a phone. */
export function SortSelect({ definition, sort, onSort }: SortSelectProps) {
  const choices = allFields(definition)
    .filter(isSortable)
    .flatMap(({ name }) => [name, `-${name}`]);
  const now = sort.join(',');
  const labelOf = (part: string) => {
    const name = part.replace(/^-/, '');
    const field = findField(definition, name);
    const label = field ? labelOfField(field) : name;
    return part.startsWith('-') ? texts.list.descending(label) : texts.list.ascending(label);
  };
  return (
    <select
      class="input sort-select"
      aria-label={texts.list.sort}
      value={now}
      onChange={({ currentTarget: { value } }) => onSort(value === '' ? [] : value.split(','))}
    >
      <option value="">{texts.list.unsorted}</option>
      {/* Of several fields, from the address or a saved view. */}
      {now !== '' && !choices.includes(now) && <option value={now}>{sort.map(labelOf).join(', ')}</option>}
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {labelOf(choice)}
        </option>
      ))}
    </select>
  );
}
