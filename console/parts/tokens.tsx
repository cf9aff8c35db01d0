import { X } from 'lucide';
import { useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import type { ControlIds } from './form-field.tsx';
import { Icon } from './icon.tsx';
import { isComposing, isShortcut } from './keys.ts';

interface TokensProps {
  readonly ids: ControlIds;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  readonly suggestions?: readonly string[] | undefined;
  readonly inputMode?: 'decimal' | undefined;
}

/** Several short values: Enter, Tab, Ctrl+S or leaving adds what was typed, Backspace in an empty box removes the last one. */
export function Tokens({ ids, values, onChange, suggestions, inputMode }: TokensProps) {
  const [text, setText] = useState('');
  const add = () => {
    if (text === '') return;
    onChange([...values, text]);
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'Enter' && text !== '') {
      event.preventDefault();
      add();
    } else if (event.key === 'Tab' || isShortcut(event, 's')) {
      add(); // before an outer handler of this key ends the editing or saves
    } else if (event.key === 'Backspace' && text === '' && values.length > 0) onChange(values.slice(0, -1));
  };
  const paste = (event: ClipboardEvent) => {
    const lines = (event.clipboardData?.getData('text') ?? '').split(/\r?\n/).filter((line) => line !== '');
    if (lines.length < 2) return;
    event.preventDefault();
    onChange([...values, ...lines]);
  };
  return (
    <div class="input tokens">
      {values.map((value, at) => (
        <span key={at} class="token">
          <span class="cut" dir="auto">
            {value}
          </span>
          <button
            type="button"
            aria-label={texts.removeValue(value)}
            onClick={() => onChange(values.filter((_, index) => index !== at))}
          >
            <Icon icon={X} size={12} />
          </button>
        </span>
      ))}
      <input
        {...ids}
        dir="auto"
        inputMode={inputMode}
        value={text}
        list={suggestions && `${ids.id}-list`}
        placeholder={values.length === 0 ? texts.tokensHint : ''}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onPaste={paste}
        onBlur={add}
      />
      {suggestions && (
        <datalist id={`${ids.id}-list`}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </div>
  );
}
