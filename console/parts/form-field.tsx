import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface ControlIds {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
}

interface FormFieldProps {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly children: (ids: ControlIds) => ComponentChildren;
  readonly aside?: ComponentChildren;
}

/** A label with its control, hint and error. */
export function FormField({ label, hint, error, children, aside }: FormFieldProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`];
  const ids = {
    id,
    'aria-describedby': described.filter(Boolean).join(' ') || undefined,
    'aria-invalid': error !== undefined || undefined,
  };
  return (
    <div class={`field${error === undefined ? '' : ' wrong'}`}>
      <div class="field-head">
        <label for={id}>{label}</label>
        {aside}
      </div>
      {children(ids)}
      {error !== undefined && (
        <p class="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface TextFieldProps {
  readonly label: ComponentChildren;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly type?: 'text' | 'email' | 'password' | 'number' | 'search' | 'url' | 'datetime-local';
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly autocomplete?: string;
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly readonly?: boolean;
  readonly minLength?: number;
}

export function TextField({ label, value, onInput, type = 'text', hint, error, ...rest }: TextFieldProps) {
  return (
    <FormField label={label} hint={hint} error={error}>
      {(ids) => (
        <input
          {...ids}
          class="input"
          // Cast: the other types differ only in attributes that are not used here.
          type={type as 'text'}
          dir="auto"
          value={value}
          autocomplete={rest.autocomplete ?? 'off'}
          required={rest.required}
          readOnly={rest.readonly}
          minLength={rest.minLength}
          placeholder={rest.placeholder}
          spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </FormField>
  );
}

interface SelectFieldProps<T extends string> {
  readonly label: ComponentChildren;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onChange: (value: T) => void;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
}

export function SelectField<T extends string>(props: SelectFieldProps<T>) {
  const { label, value, options, onChange, hint, error } = props;
  return (
    <FormField label={label} hint={hint} error={error}>
      {(ids) => (
        <select
          {...ids}
          class="input"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value as T)}
        >
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </FormField>
  );
}
