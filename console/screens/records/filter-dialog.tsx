import { useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { localText, stepOf, zone } from '../../fields/datetime-control.tsx';
import { RelationPicker } from '../../fields/relation-picker.tsx';
import {
  isMoment,
  itemField,
  labelOfField,
  type NamedField,
  operatorsOf,
  optionsOf,
  relationTarget,
} from '../../model/fields.ts';
import type { Condition, Operator } from '../../model/list-query.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { type ControlIds, FormField, SelectField } from '../../parts/form-field.tsx';
import { Tokens } from '../../parts/tokens.tsx';
import { texts } from '../../texts.ts';
import { allFields } from './columns.ts';

interface FilterDialogProps {
  readonly project: string;
  readonly definition: Definition;
  readonly all: readonly Definition[];
  readonly start: Partial<Condition>;
  readonly onApply: (condition: Condition) => void;
  readonly onClose: () => void;
}

type Choice = Operator | 'unset' | 'set';

/** The API compares datetimes only by order, not by equality; the fields that the service sets are never unset. */
function choicesOf(field: NamedField): Choice[] {
  const never = field.name === '_id' || field.name === '_createdAt' || field.name === '_updatedAt';
  const compare = operatorsOf(field).filter(
    (operator) => field.type !== 'datetime' || !['=', '!='].includes(operator),
  );
  return never ? compare : [...compare, 'unset', 'set'];
}

const choiceOf = ({ operator = '=', values }: Partial<Condition>): Choice => {
  const unset = values?.length === 1 && values[0] === '';
  return unset ? (operator === '=' ? 'unset' : 'set') : operator;
};

/** A number is equal to one value alone; where a link has more of them, all are shown, so that those too many can be removed. */
const takesSeveral = (field: NamedField, operator: Choice, values: readonly string[]) =>
  operator === '!=' || (operator === '=' && (field.type !== 'number' || values.length > 1));

/** Edits one condition: a field, an operator, and values in a control for the field's type. */
export function FilterDialog({ project, definition, all, start, onApply, onClose }: FilterDialogProps) {
  const fields = allFields(definition);
  const [name, setName] = useState(start.field ?? fields[0]?.name ?? '_id');
  const [choice, setChoice] = useState<Choice>(() => choiceOf(start));
  const [values, setValues] = useState<readonly string[]>(start.values ?? []);
  const [isMissing, setMissing] = useState(false);
  const field = fields.find((one) => one.name === name) ?? { name, type: 'text' };
  const choices = choicesOf(field);
  const now = choices.includes(choice) ? choice : (choices[0] ?? '=');
  const needsValue = now !== 'unset' && now !== 'set';
  const apply = (event: Event) => {
    event.preventDefault();
    if (now === 'unset' || now === 'set')
      onApply({ field: name, operator: now === 'unset' ? '=' : '!=', values: [''] });
    else if (values.length > 0) onApply({ field: name, operator: now, values });
    else setMissing(true);
  };
  const footer = (
    <>
      <Button onClick={onClose}>{texts.cancel}</Button>
      <Button kind="primary" type="submit" form="filter">
        {texts.list.apply}
      </Button>
    </>
  );
  return (
    <Dialog title={texts.list.filter} onClose={onClose} footer={footer}>
      <form id="filter" class="stack" onSubmit={apply}>
        <SelectField
          label={texts.list.field}
          value={name}
          options={fields.map((one) => [one.name, labelOfField(one)] as const)}
          onChange={(next) => {
            setName(next);
            setValues([]);
            setMissing(false);
          }}
        />
        <SelectField
          label={texts.list.operator}
          value={now}
          options={choices.map((one) => [one, texts.operators[one]] as const)}
          onChange={setChoice}
        />
        {needsValue && (
          <FormField
            label={texts.list.value}
            hint={isMoment(field) ? zone : undefined}
            error={isMissing && values.length === 0 ? texts.list.noValue : undefined}
          >
            {(ids) => (
              <FilterValue
                key={name}
                {...{ ids, project, all, field, values }}
                several={takesSeveral(field, now, values)}
                onChange={setValues}
              />
            )}
          </FormField>
        )}
      </form>
    </Dialog>
  );
}

interface FilterValueProps {
  readonly ids: ControlIds;
  readonly project: string;
  readonly all: readonly Definition[];
  readonly field: NamedField;
  readonly values: readonly string[];
  readonly several: boolean;
  readonly onChange: (values: readonly string[]) => void;
}

function FilterValue({ ids, project, all, field, values, several, onChange }: FilterValueProps) {
  const target = relationTarget(field);
  if (target !== undefined) {
    return (
      <RelationPicker
        ids={ids}
        project={project}
        target={all.find(({ id }) => id === target)}
        value={values}
        multiple
        onChange={onChange}
      />
    );
  }
  const single = (text: string) => onChange(text === '' ? [] : [text]);
  const type = field.type === 'list' ? itemField(field).type : field.type;
  if (type === 'boolean') {
    return (
      <select
        {...ids}
        class="input"
        value={values[0] ?? ''}
        onChange={({ currentTarget }) => single(currentTarget.value)}
      >
        <option value="" />
        <option value="true">{texts.yes}</option>
        <option value="false">{texts.no}</option>
      </select>
    );
  }
  if (type === 'datetime') {
    return (
      <input
        {...ids}
        class="input"
        type="datetime-local"
        step={stepOf(values[0] ?? '')}
        value={localText(values[0] ?? '')}
        onInput={({ currentTarget }) => {
          const date = new Date(currentTarget.value);
          single(Number.isNaN(date.getTime()) ? '' : date.toISOString());
        }}
      />
    );
  }
  const inputMode = type === 'number' ? 'decimal' : undefined;
  if (!several) {
    return (
      <input
        {...ids}
        class="input"
        inputMode={inputMode}
        value={values[0] ?? ''}
        onInput={({ currentTarget }) => single(currentTarget.value)}
      />
    );
  }
  const options = optionsOf(field.type === 'list' ? itemField(field) : field);
  return <Tokens {...{ ids, values, onChange, inputMode }} suggestions={options} />;
}
