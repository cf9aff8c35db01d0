import { ArrowDown, ArrowUp, Trash2 } from 'lucide';
import { useEffect, useRef } from 'preact/hooks';
import type { Field } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import { type Faults, faultAt, faultsBeside } from '../../faults.ts';
import { Button } from '../../parts/button.tsx';
import { Fold } from '../../parts/fold.tsx';
import { SelectField, TextField } from '../../parts/form-field.tsx';
import { Badge } from '../../parts/notes.tsx';
import { texts } from '../../texts.ts';
import type { DraftField } from './draft.ts';
import { besideFold, FieldRules, inFold, RelationRules } from './field-rules.tsx';
import { fieldTypes, mayBeUnique, rulesOf } from './rules.ts';

const { definition: words } = texts;

interface FieldEditorProps {
  readonly draft: DraftField;
  /** Just added: its name gets the focus. */
  readonly isAdded: boolean;
  /** An earlier field has the same name. */
  readonly isTaken: boolean;
  /** What a relation can point to; undefined in a profile, which has no relations. */
  readonly collections: readonly string[] | undefined;
  /** The server's error messages, by rule: `type`, `min`, or an empty text for the field itself. */
  readonly faults: Faults;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onChange: (draft: DraftField) => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

/** Sets a rule; `undefined` removes its key. */
function withRule(field: Field, name: string, value: Json | undefined): Field {
  const { [name]: _, ...rest } = field;
  return (value === undefined ? rest : { ...rest, [name]: value }) as Field;
}

/** Checked here as well as by the server, whose message can't be assigned to a field with an invalid name. */
const isName = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

export function FieldEditor(props: FieldEditorProps) {
  const { draft, faults, onChange } = props;
  const { name, original, field } = draft;
  const inProfile = props.collections === undefined;
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!props.isAdded) return;
    const input = card.current?.querySelector('input');
    input?.focus();
    input?.select();
  }, []);
  const wrong = props.isTaken ? words.nameTaken : isName.test(name) ? undefined : words.nameWrong;
  // Keeps the browser from submitting the form while the name is invalid.
  useEffect(() => card.current?.querySelector('input')?.setCustomValidity(wrong ?? ''), [wrong]);
  const types = inProfile ? fieldTypes.filter((type) => type !== 'relation') : fieldTypes;
  const folded = inFold(field, inProfile);
  const others = faultsBeside(faults, ['renamedFrom', 'type', ...besideFold(field), ...folded]);
  // What no other control shows is shown at the name.
  const own = [faults.renamedFrom, faultAt(others, '')].filter(Boolean).join('; ') || undefined;
  const set = (rule: string, value: Json | undefined) =>
    onChange({ ...draft, field: withRule(field, rule, value) });
  return (
    <section ref={card} class="field-card" aria-label={words.field(name)}>
      <div class="field-line">
        <TextField
          label={words.fieldName}
          value={name}
          onInput={(text) => onChange({ ...draft, name: text })}
          error={wrong ?? own}
          required
        />
        <SelectField
          label={words.type}
          value={field.type}
          options={types.map((type) => [type, type])}
          onChange={(type) => onChange({ ...draft, field: ofType(field, type, props.collections ?? []) })}
          error={faultAt(faults, 'type')}
        />
        <div class="field-flags">
          <Flag
            label={words.required}
            on={field.required}
            onChange={(on) => set('required', on || undefined)}
          />
          {!inProfile && mayBeUnique(field.type, field.kind) && (
            <Flag label={words.unique} on={field.unique} onChange={(on) => set('unique', on || undefined)} />
          )}
          {!inProfile && field.type !== 'relation' && (
            <Flag label={words.index} on={field.index} onChange={(on) => set('index', on || undefined)} />
          )}
        </div>
        <div class="field-tools">
          {original === undefined && <Badge kind="good">{words.isNew}</Badge>}
          {original !== undefined && original !== name && (
            <Badge kind="warn">{words.renamed(original)}</Badge>
          )}
          <div>
            <Button
              kind="quiet"
              icon={ArrowUp}
              label={words.moveUp(name)}
              disabled={props.isFirst}
              onClick={() => props.onMove(-1)}
            />
            <Button
              kind="quiet"
              icon={ArrowDown}
              label={words.moveDown(name)}
              disabled={props.isLast}
              onClick={() => props.onMove(1)}
            />
            <Button kind="quiet" icon={Trash2} label={words.removeField(name)} onClick={props.onRemove} />
          </div>
        </div>
      </div>
      {field.type === 'relation' && (
        <RelationRules field={field} collections={props.collections ?? []} faults={faults} set={set} />
      )}
      <Fold summary={words.details} wrong={folded.some((rule) => faultAt(faults, rule) !== undefined)}>
        <FieldRules field={field} inProfile={inProfile} faults={faults} set={set} />
      </Fold>
    </section>
  );
}

/** Changes the type; rules that the new type has too are kept. */
function ofType(field: Field, type: string, collections: readonly string[]): Field {
  const { required, unique, index, label, description, renamedFrom, write } = field;
  const known = new Set(rulesOf(type).map(({ name }) => name as string));
  const kept = Object.entries(field).filter(([name]) => known.has(name));
  return {
    type,
    ...(type === 'list' && { of: { type: 'text' } }),
    ...(type === 'relation' && { to: collections[0] ?? '' }),
    ...(required && { required }),
    ...(unique && mayBeUnique(type) && { unique }),
    ...(index && type !== 'relation' && { index }),
    ...(label !== undefined && { label }),
    ...(description !== undefined && { description }),
    ...(renamedFrom !== undefined && { renamedFrom }),
    ...(write !== undefined && { write }),
    ...Object.fromEntries(kept),
  };
}

interface FlagProps {
  readonly label: string;
  readonly on: boolean | undefined;
  readonly onChange: (on: boolean) => void;
}

function Flag({ label, on = false, onChange }: FlagProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={on} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}
