import type { Json } from '../../../client/client.ts';
import { Control } from '../../fields/control.tsx';
import { FormField, TextField } from '../../parts/form-field.tsx';
import { Tokens } from '../../parts/tokens.tsx';
import { texts } from '../../texts.ts';
import type { Rule } from './rules.ts';

const { rules: words } = texts.definition;

interface RuleControlProps {
  readonly rule: Rule;
  readonly value: Json | undefined;
  readonly error: string | undefined;
  readonly onChange: (value: Json | undefined) => void;
}

/** One constraint of a field; empty means none. */
export function RuleControl({ rule, value, error, onChange }: RuleControlProps) {
  const label = words[rule.name];
  switch (rule.kind) {
    case 'number':
      return (
        <FormField label={label} error={error}>
          {(ids) => (
            <Control
              ids={ids}
              project=""
              all={[]}
              field={{ type: 'number', name: label }}
              value={value}
              onChange={(number) => onChange(number ?? undefined)}
            />
          )}
        </FormField>
      );
    case 'text':
    case 'datetime':
      return (
        <TextField
          label={label}
          value={typeof value === 'string' ? value : ''}
          onInput={(text) => onChange(text === '' ? undefined : text)}
          error={error}
          {...(rule.kind === 'datetime' && { placeholder: '2026-01-01' })}
        />
      );
    case 'switch':
      return (
        <label class="check">
          <input
            type="checkbox"
            checked={value === true}
            onChange={(event) => onChange(event.currentTarget.checked || undefined)}
          />
          <span>{label}</span>
        </label>
      );
    case 'options':
      return (
        <FormField label={label} error={error}>
          {(ids) => (
            <Tokens
              ids={ids}
              values={Array.isArray(value) ? (value as string[]) : []}
              onChange={(values) => onChange(values.length === 0 ? undefined : [...values])}
            />
          )}
        </FormField>
      );
  }
}
