import type { Faults } from '../../faults.ts';
import { proposeId } from '../../model/propose-id.ts';
import { TextField } from '../../parts/form-field.tsx';
import { texts } from '../../texts.ts';
import type { Draft } from './draft.ts';
import { FieldList } from './field-list.tsx';
import { IndexList } from './index-list.tsx';

const { definition: words } = texts;

interface DefinitionFormProps {
  readonly draft: Draft;
  /** The id of a new collection is derived from the name until the user types one. */
  readonly isNew: boolean;
  readonly collections: readonly string[];
  readonly faults: Faults;
  readonly onChange: (draft: Draft) => void;
}

export function DefinitionForm({ draft, isNew, collections, faults, onChange }: DefinitionFormProps) {
  const { id, name, fields } = draft;
  return (
    <>
      <div class="columns">
        <TextField
          label={words.name}
          value={name}
          onInput={(text) =>
            onChange({
              ...draft,
              name: text,
              ...(isNew && id === proposeId(name) && { id: proposeId(text) }),
            })
          }
          error={faults.name}
        />
        <TextField
          label={words.id}
          hint={words.idHint}
          value={id}
          onInput={(text) => onChange({ ...draft, id: text })}
          error={faults.id}
          required
        />
      </div>
      <h2>{words.fields}</h2>
      <FieldList
        fields={fields}
        collections={collections}
        faults={faults}
        below="fields"
        onChange={(next) => onChange({ ...draft, fields: next })}
      />
      <IndexList draft={draft} faults={faults} onChange={(indexes) => onChange({ ...draft, indexes })} />
    </>
  );
}
