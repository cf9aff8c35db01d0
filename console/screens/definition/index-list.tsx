import { Plus, Trash2 } from 'lucide';
import { type Faults, faultAt, faultsBelow } from '../../faults.ts';
import { Button } from '../../parts/button.tsx';
import { FormField } from '../../parts/form-field.tsx';
import { Tokens } from '../../parts/tokens.tsx';
import { texts } from '../../texts.ts';
import type { Draft } from './draft.ts';

const { definition: words } = texts;

interface IndexListProps {
  readonly draft: Draft;
  readonly faults: Faults;
  readonly onChange: (indexes: Draft['indexes']) => void;
}

export function IndexList({ draft: { indexes, fields }, faults, onChange }: IndexListProps) {
  const names = fields.map(({ name }) => name);
  const replace = (at: number, index: Draft['indexes'][number]) =>
    onChange(indexes.map((one, place) => (place === at ? index : one)));
  const faultOf = (at: number, index: Draft['indexes'][number]) => {
    const fault = faultAt(faultsBelow(faults, `indexes[${at}]`), '');
    return fault !== undefined && index.fields.length === 0 ? words.indexEmpty : fault;
  };
  return (
    <section class="stack">
      <h2>{words.indexes}</h2>
      <p class="quiet">{words.indexesHint}</p>
      {indexes.map((index, at) => (
        <div key={at} class="index-line">
          <FormField label={words.indexFields} error={faultOf(at, index)}>
            {(ids) => (
              <Tokens
                ids={ids}
                values={index.fields}
                suggestions={names}
                onChange={(values) => replace(at, { ...index, fields: values })}
              />
            )}
          </FormField>
          <label class="check">
            <input
              type="checkbox"
              checked={index.unique ?? false}
              onChange={(event) => {
                const { unique: _, ...rest } = index;
                replace(at, event.currentTarget.checked ? { ...rest, unique: true } : rest);
              }}
            />
            <span>{words.unique}</span>
          </label>
          <Button
            kind="quiet"
            icon={Trash2}
            label={words.removeIndex(index.fields.join(', '))}
            onClick={() => onChange(indexes.filter((_, place) => place !== at))}
          />
        </div>
      ))}
      <div>
        <Button icon={Plus} onClick={() => onChange([...indexes, { fields: [] }])}>
          {words.addIndex}
        </Button>
      </div>
    </section>
  );
}
