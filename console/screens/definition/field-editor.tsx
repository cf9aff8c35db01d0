import { ArrowDown, ArrowUp, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import type { Field } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/form-field.tsx';
import { Badge } from '../../parts/notes.tsx';
import { texts } from '../../texts.ts';
import type { DraftField } from './draft.ts';
import { RuleControl } from './rule-control.tsx';
import { fieldTypes, itemTypes, mayBeUnique, rulesOf } from './rules.ts';

const { definition: words } = texts;

interface FieldEditorProps {
  readonly draft: DraftField;
  readonly collections: readonly string[];
  /** What the server says is wrong, by what it is wrong with: `type`, `min`, or `` for the field itself. */
  readonly faults: Readonly<Record<string, string>>;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onChange: (draft: DraftField) => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
}

/** A key of a field that is unset is not in its definition at all. */
export function withRule(field: Field, name: string, value: Json | undefined): Field {
  const { [name]: _, ...rest } = field;
  return (value === undefined ? rest : { ...rest, [name]: value }) as Field;
}

export function FieldEditor(props: FieldEditorProps) {
  const { draft, faults, onChange } = props;
  const { name, original, field } = draft;
  const set = (rule: string, value: Json | undefined) =>
    onChange({ ...draft, field: withRule(field, rule, value) });
  return (
    <section class="field-card" aria-label={words.field(name)}>
      <div class="field-line">
        <TextField
          label={words.fieldName}
          value={name}
          onInput={(text) => onChange({ ...draft, name: text })}
          error={faults['']}
          required
        />
        <SelectField
          label={words.type}
          value={field.type}
          options={fieldTypes.map((type) => [type, type])}
          onChange={(type) => onChange({ ...draft, field: ofType(field, type, props.collections) })}
          error={faults.type}
        />
        <div class="field-flags">
          <Flag
            label={words.required}
            on={field.required}
            onChange={(on) => set('required', on || undefined)}
          />
          {mayBeUnique(field.type, field.kind) && (
            <Flag label={words.unique} on={field.unique} onChange={(on) => set('unique', on || undefined)} />
          )}
          {field.type !== 'relation' && (
            <Flag label={words.index} on={field.index} onChange={(on) => set('index', on || undefined)} />
          )}
        </div>
        <div class="field-tools">
          {original === undefined && <Badge kind="good">{words.isNew}</Badge>}
          {original !== undefined && original !== name && (
            <Badge kind="warn">{words.renamed(original)}</Badge>
          )}
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
      {field.type === 'relation' && <RelationRules {...props} set={set} />}
      <details>
        <summary>{words.details}</summary>
        <div class="rule-grid">
          {field.type === 'list' && <ItemType field={field} set={set} />}
          {rulesOf(field.type, field.kind).map((rule) => (
            <RuleControl
              key={rule.name}
              rule={rule}
              value={field[rule.name]}
              error={faults[rule.name]}
              onChange={(value) => set(rule.name, value)}
            />
          ))}
          <TextField
            label={words.label}
            value={field.label ?? ''}
            onInput={(text) => set('label', text || undefined)}
          />
          <TextField
            label={words.description}
            value={field.description ?? ''}
            onInput={(text) => set('description', text || undefined)}
          />
          {field.type !== 'relation' && (
            <DefaultValue
              value={field.default}
              error={faults.default}
              onChange={(value) => set('default', value)}
            />
          )}
        </div>
      </details>
    </section>
  );
}

/** Of the rules that the field has, those that the other type has too stay. */
function ofType(field: Field, type: string, collections: readonly string[]): Field {
  const { required, unique, index, label, description, renamedFrom } = field;
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

type Set = (rule: string, value: Json | undefined) => void;

function RelationRules({ draft: { field }, collections, faults, set }: FieldEditorProps & { set: Set }) {
  return (
    <div class="rule-grid">
      <SelectField
        label={words.rules.to}
        value={String(field.to ?? '')}
        options={collections.map((id) => [id, id])}
        onChange={(to) => set('to', to)}
        error={faults.to}
      />
      <SelectField
        label={words.rules.kind}
        value={String(field.kind ?? 'single')}
        options={[
          ['single', words.kinds.single],
          ['multiple', words.kinds.multiple],
        ]}
        onChange={(kind) => set('kind', kind === 'single' ? undefined : kind)}
      />
      <SelectField
        label={words.rules.onDelete}
        value={String(field.onDelete ?? 'clear')}
        options={[
          ['clear', words.onDelete.clear],
          ['restrict', words.onDelete.restrict],
          ['cascade', words.onDelete.cascade],
        ]}
        onChange={(rule) => set('onDelete', rule === 'clear' ? undefined : rule)}
      />
    </div>
  );
}

function ItemType({ field, set }: { field: Field; set: Set }) {
  const of = typeof field.of === 'object' && field.of !== null ? (field.of as { type?: string }) : {};
  return (
    <SelectField
      label={words.rules.of}
      value={of.type ?? 'text'}
      options={itemTypes.map((type) => [type, type])}
      onChange={(type) => set('of', { type })}
    />
  );
}

interface DefaultProps {
  readonly value: Json | undefined;
  readonly error: string | undefined;
  readonly onChange: (value: Json | undefined) => void;
}

function DefaultValue({ value, error, onChange }: DefaultProps) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value));
  const [wrong, setWrong] = useState(false);
  const type = (typed: string) => {
    setText(typed);
    try {
      onChange(typed.trim() === '' ? undefined : (JSON.parse(typed) as Json));
      setWrong(false);
    } catch {
      setWrong(true);
    }
  };
  return (
    <TextField
      label={words.defaultValue}
      hint={words.defaultHint}
      value={text}
      onInput={type}
      error={wrong ? words.notJson : error}
    />
  );
}
