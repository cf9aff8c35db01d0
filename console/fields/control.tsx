import { useState } from 'preact/hooks';
import type { Json } from '../../client/client.ts';
import { itemField, optionsOf, relationTarget, sameValue, textOf } from '../model/fields.ts';
import type { ControlIds } from '../parts/form-field.tsx';
import { Tokens } from '../parts/tokens.tsx';
import { texts } from '../texts.ts';
import { ContentControl } from './content-control.tsx';
import type { ControlProps } from './control-props.ts';
import { DatetimeControl } from './datetime-control.tsx';
import { RelationControl } from './relation-control.tsx';

/** The control for a value, by the type of its field. Invalid input is sent as it is: the server says what is wrong. */
export function Control(props: ControlProps) {
  const { ids, field, value, onChange } = props;
  if (relationTarget(field) !== undefined) return <RelationControl {...props} />;
  if (field.type === 'list') return <ListControl {...props} />;
  const options = optionsOf(field);
  if (options) return <Choice ids={ids} options={options} value={value} onChange={onChange} />;
  switch (field.type) {
    case 'boolean':
      return (
        <select
          {...ids}
          class="input"
          value={value === true ? 'true' : value === false ? 'false' : ''}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.value === '' ? null : currentTarget.value === 'true')
          }
        >
          <option value="">{texts.unset}</option>
          <option value="true">{texts.yes}</option>
          <option value="false">{texts.no}</option>
        </select>
      );
    case 'number':
      return <NumberControl {...props} />;
    case 'datetime':
      return <DatetimeControl {...props} />;
    case 'content':
      return <ContentControl {...props} />;
    default:
      return <TextControl {...props} />;
  }
}

/** Clearing the text unsets the value. */
function TextControl({ ids, field, value, onChange }: ControlProps) {
  const text = textOf(value);
  if (text.includes('\n') || Number(field.maxLength ?? 0) > 400) {
    return (
      <textarea
        {...ids}
        class="input"
        dir="auto"
        rows={Math.min(8, text.split('\n').length + 1)}
        value={text}
        onInput={({ currentTarget }) => onChange(currentTarget.value || null)}
      />
    );
  }
  const type = field.type === 'email' ? 'email' : field.type === 'url' ? 'url' : 'text';
  return (
    <input
      {...ids}
      class="input"
      type={type as 'text'}
      dir="auto"
      autocomplete="off"
      value={text}
      onInput={({ currentTarget }) => onChange(currentTarget.value || null)}
    />
  );
}

/** `12,5` or `abc` is kept as it was typed, so that it can be corrected. */
function numberOf(text: string): Json {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const number = Number(trimmed);
  return Number.isFinite(number) && !/e$/i.test(trimmed) ? number : text;
}

/** Keeps showing the typed text while it means the same number: `1.` must not become `1` before `1.5` is complete. */
function NumberControl({ ids, value, onChange }: ControlProps) {
  const [typed, setTyped] = useState(textOf(value));
  return (
    <input
      {...ids}
      class="input"
      inputMode="decimal"
      autocomplete="off"
      value={sameValue(numberOf(typed), value) ? typed : textOf(value)}
      onInput={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(numberOf(currentTarget.value));
      }}
    />
  );
}

interface ChoiceProps {
  readonly ids: ControlIds;
  readonly options: readonly string[];
  readonly value: Json | undefined;
  readonly onChange: (value: Json) => void;
}

function Choice({ ids, options, value, onChange }: ChoiceProps) {
  const text = textOf(value);
  const all = text === '' || options.includes(text) ? options : [...options, text];
  return (
    <select
      {...ids}
      class="input"
      value={text}
      onChange={({ currentTarget }) => onChange(currentTarget.value || null)}
    >
      <option value="">{texts.unset}</option>
      {all.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  );
}

function ListControl({ ids, field, value, onChange }: ControlProps) {
  const item = itemField(field);
  const values = Array.isArray(value) ? value.map(textOf) : [];
  const read = (text: string): Json => {
    if (item.type === 'number') return numberOf(text);
    if (item.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
    return text;
  };
  return (
    <Tokens
      ids={ids}
      values={values}
      onChange={(next) => onChange(next.map(read))}
      suggestions={optionsOf(item)}
    />
  );
}
