import { useState } from 'preact/hooks';
import { textOf } from '../model/fields.ts';
import { texts } from '../texts.ts';
import type { ControlProps } from './control-props.ts';

export const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const two = (part: number) => String(part).padStart(2, '0');

/** Local time in the format of an input of type `datetime-local`. */
export function localText(value: string): string {
  const date = new Date(value);
  if (value === '' || Number.isNaN(date.getTime())) return '';
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  const rest = date.getMilliseconds();
  return `${day}T${time}${rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`}`;
}

/** The `step` of the input, which shows milliseconds only if there are some: they take up much space. */
export const stepOf = (value: string) => (/\.\d*[1-9]/.test(value) ? '0.001' : '1');

/** Local time and UTC side by side: either can be edited, the other follows. */
export function DatetimeControl({ ids, value, onChange }: ControlProps) {
  const text = textOf(value);
  const [typed, setTyped] = useState<string>();
  return (
    <div class="datetime">
      <div class="datetime-part">
        <input
          {...ids}
          class="input"
          type="datetime-local"
          step={stepOf(text)}
          value={localText(text)}
          onInput={({ currentTarget }) => {
            setTyped(undefined);
            const date = new Date(currentTarget.value);
            if (currentTarget.value === '') onChange(null);
            else if (!Number.isNaN(date.getTime())) onChange(date.toISOString());
          }}
        />
        <small class="quiet">{zone}</small>
      </div>
      <div class="datetime-part">
        <input
          class="input mono"
          aria-label={texts.utcTime}
          placeholder={texts.utcForm}
          value={typed ?? text}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            onChange(currentTarget.value.trim() || null);
          }}
          onBlur={() => setTyped(undefined)}
        />
        <small class="quiet">UTC</small>
      </div>
    </div>
  );
}
