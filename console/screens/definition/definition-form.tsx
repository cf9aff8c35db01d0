import { Plus } from 'lucide';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { texts } from '../../texts.ts';
import { type Draft, type DraftField, newKey } from './draft.ts';
import { FieldEditor } from './field-editor.tsx';
import { IndexList } from './index-list.tsx';

const { definition: words } = texts;

interface DefinitionFormProps {
  readonly draft: Draft;
  readonly collections: readonly string[];
  readonly faults: Readonly<Record<string, string>>;
  readonly onChange: (draft: Draft) => void;
}

export function DefinitionForm({ draft, collections, faults, onChange }: DefinitionFormProps) {
  const { id, name, fields } = draft;
  const setFields = (next: readonly DraftField[]) => onChange({ ...draft, fields: next });
  const move = (at: number, by: -1 | 1) => {
    const next = fields.filter((_, place) => place !== at);
    const [moved] = fields.slice(at, at + 1);
    if (moved) setFields(next.toSpliced(at + by, 0, moved));
  };
  return (
    <>
      <div class="columns">
        <TextField
          label={words.id}
          hint={words.idHint}
          value={id}
          onInput={(text) => onChange({ ...draft, id: text, ...(name === id && { name: text }) })}
          error={faults.id}
          required
        />
        <TextField
          label={words.name}
          value={name}
          onInput={(text) => onChange({ ...draft, name: text })}
          error={faults.name}
        />
      </div>
      <h2>{words.fields}</h2>
      {fields.length === 0 && <p class="quiet">{words.noFields}</p>}
      {fields.map((field, at) => (
        <FieldEditor
          key={field.key}
          draft={field}
          collections={collections}
          faults={faultsBelow(faults, `fields.${field.name}`)}
          isFirst={at === 0}
          isLast={at === fields.length - 1}
          onChange={(next) => setFields(fields.with(at, next))}
          onMove={(by) => move(at, by)}
          onRemove={() => setFields(fields.toSpliced(at, 1))}
        />
      ))}
      <div>
        <Button icon={Plus} onClick={() => setFields([...fields, newField(fields)])}>
          {words.addField}
        </Button>
      </div>
      <IndexList draft={draft} faults={faults} onChange={(indexes) => onChange({ ...draft, indexes })} />
    </>
  );
}

function newField(fields: readonly DraftField[]): DraftField {
  const taken = new Set(fields.map(({ name }) => name));
  let number = fields.length + 1;
  while (taken.has(`field${number}`)) number += 1;
  return { key: newKey(), name: `field${number}`, field: { type: 'text' } };
}

/** `fields.price.min` of `fields.price` is `min`; what is wrong with the field itself is ``. */
function faultsBelow(faults: Readonly<Record<string, string>>, place: string): Record<string, string> {
  const below: Record<string, string> = {};
  for (const [at, fault] of Object.entries(faults)) {
    if (at === place) below[''] = fault;
    else if (at.startsWith(`${place}.`)) below[at.slice(place.length + 1)] = fault;
  }
  return below;
}
