import type { Field } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import { type Faults, faultAt } from '../../faults.ts';
import { Control } from '../../fields/control.tsx';
import { FormField, SelectField, TextField } from '../../parts/form-field.tsx';
import { texts } from '../../texts.ts';
import { RuleControl } from './rule-control.tsx';
import { itemTypes, rulesOf } from './rules.ts';

const { definition: words } = texts;

interface RulesProps {
  readonly field: Field;
  /** Error messages, by rule. */
  readonly faults: Faults;
  readonly set: (rule: string, value: Json | undefined) => void;
}

/** The rules whose controls show the messages about them: outside of the fold, and in it. */
export const besideFold = ({ type }: Field) => (type === 'relation' ? ['to', 'kind', 'onDelete'] : []);
export const inFold = ({ type, kind }: Field, inProfile: boolean): readonly string[] => [
  ...(type === 'list' ? ['of'] : []),
  ...rulesOf(type, kind).map(({ name }) => name),
  ...['label', 'description'],
  ...(type === 'relation' ? [] : ['default']),
  ...(inProfile ? ['write'] : []),
];

/** The rules of a field beyond its name and type. */
export function FieldRules({ field, inProfile, faults, set }: RulesProps & { readonly inProfile: boolean }) {
  return (
    <div class="rule-grid">
      {field.type === 'list' && <ItemType field={field} faults={faults} set={set} />}
      {rulesOf(field.type, field.kind).map((rule) => (
        <RuleControl
          key={rule.name}
          rule={rule}
          value={field[rule.name]}
          error={faultAt(faults, rule.name)}
          onChange={(value) => set(rule.name, value)}
        />
      ))}
      <TextField
        label={words.label}
        value={field.label ?? ''}
        onInput={(text) => set('label', text || undefined)}
        error={faultAt(faults, 'label')}
      />
      <TextField
        label={words.description}
        value={field.description ?? ''}
        onInput={(text) => set('description', text || undefined)}
        error={faultAt(faults, 'description')}
      />
      {field.type !== 'relation' && <DefaultValue field={field} faults={faults} set={set} />}
      {inProfile && (
        <SelectField
          label={words.write}
          value={field.write === 'server' ? 'server' : 'user'}
          options={[
            ['user', words.writers.user],
            ['server', words.writers.server],
          ]}
          onChange={(writer) => set('write', writer === 'server' ? writer : undefined)}
          error={faultAt(faults, 'write')}
        />
      )}
    </div>
  );
}

export function RelationRules({
  field,
  collections,
  faults,
  set,
}: RulesProps & { readonly collections: readonly string[] }) {
  return (
    <div class="rule-grid">
      <SelectField
        label={words.rules.to}
        value={String(field.to ?? '')}
        options={collections.map((id) => [id, id])}
        onChange={(to) => set('to', to)}
        error={faultAt(faults, 'to')}
      />
      <SelectField
        label={words.rules.kind}
        value={String(field.kind ?? 'single')}
        options={[
          ['single', words.kinds.single],
          ['multiple', words.kinds.multiple],
        ]}
        onChange={(kind) => set('kind', kind === 'single' ? undefined : kind)}
        error={faultAt(faults, 'kind')}
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
        error={faultAt(faults, 'onDelete')}
      />
    </div>
  );
}

function ItemType({ field, faults, set }: RulesProps) {
  const of = typeof field.of === 'object' && field.of !== null ? (field.of as { type?: string }) : {};
  return (
    <SelectField
      label={words.rules.of}
      value={of.type ?? 'text'}
      options={itemTypes.map((type) => [type, type])}
      onChange={(type) => set('of', { type })}
      error={faultAt(faults, 'of')}
    />
  );
}

/** Uses the same control as the values of the field. */
function DefaultValue({ field, faults, set }: RulesProps) {
  const isEmpty = (value: Json) => value === null || (Array.isArray(value) && value.length === 0);
  return (
    <FormField label={words.defaultValue} hint={words.defaultHint} error={faultAt(faults, 'default')}>
      {(ids) => (
        <Control
          ids={ids}
          project=""
          all={[]}
          field={{ ...field, name: words.defaultValue }}
          value={field.default}
          onChange={(value) => set('default', isEmpty(value) ? undefined : value)}
        />
      )}
    </FormField>
  );
}
