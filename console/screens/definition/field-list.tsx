import { Plus } from 'lucide';
import { useState } from 'preact/hooks';
import { type Faults, faultsBelow } from '../../faults.ts';
import { Button } from '../../parts/button.tsx';
import { texts } from '../../texts.ts';
import { type DraftField, newKey, twins } from './draft.ts';
import { FieldEditor } from './field-editor.tsx';

const { definition: words } = texts;

interface FieldListProps {
  readonly fields: readonly DraftField[];
  /** What a relation can point to; undefined in a profile, which has no relations. */
  readonly collections: readonly string[] | undefined;
  readonly faults: Faults;
  /** The path prefix of the fields' errors: `fields` in `fields.price.min`. */
  readonly below: string;
  readonly onChange: (fields: readonly DraftField[]) => void;
}

/** The fields in order, each with its rules. */
export function FieldList({ fields, collections, faults, below, onChange }: FieldListProps) {
  const [added, setAdded] = useState<string>();
  const taken = twins(fields);
  const add = () => {
    const field = newField(fields);
    setAdded(field.key);
    onChange([...fields, field]);
  };
  const move = (at: number, by: -1 | 1) => {
    const [moved] = fields.slice(at, at + 1);
    if (moved) onChange(fields.toSpliced(at, 1).toSpliced(at + by, 0, moved));
  };
  return (
    <>
      {fields.length === 0 && <p class="quiet">{words.noFields}</p>}
      {fields.map((field, at) => (
        <FieldEditor
          key={field.key}
          draft={field}
          isAdded={field.key === added}
          isTaken={taken.has(field.key)}
          collections={collections}
          faults={faultsBelow(faults, `${below}.${field.name}`)}
          isFirst={at === 0}
          isLast={at === fields.length - 1}
          onChange={(next) => onChange(fields.with(at, next))}
          onMove={(by) => move(at, by)}
          onRemove={() => onChange(fields.toSpliced(at, 1))}
        />
      ))}
      <div>
        <Button icon={Plus} onClick={add}>
          {words.addField}
        </Button>
      </div>
    </>
  );
}

function newField(fields: readonly DraftField[]): DraftField {
  const taken = new Set(fields.map(({ name }) => name));
  let number = fields.length + 1;
  while (taken.has(`field${number}`)) number += 1;
  return { key: newKey(), name: `field${number}`, field: { type: 'text' } };
}
