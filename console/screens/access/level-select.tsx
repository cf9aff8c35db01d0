import type { Level } from '../../../client/admin.ts';
import { texts } from '../../texts.ts';
import { levels } from './methods.ts';

const { access: words } = texts;

interface LevelSelectProps {
  readonly label: string;
  readonly value: Level | 'inherit';
  /** The level that `inherit` stands for; without it, that option is not offered. */
  readonly inherited?: Level;
  readonly onChange: (value: Level | 'inherit') => void;
  readonly short?: boolean;
  readonly alarm?: boolean;
  readonly disabled?: boolean;
}

export function LevelSelect({ label, value, inherited, onChange, short, alarm, disabled }: LevelSelectProps) {
  return (
    <select
      class={`input level${alarm ? ' alarm' : ''}`}
      aria-label={label}
      value={value}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.value as Level | 'inherit')}
    >
      {inherited && (
        <option value="inherit">{(short ? words.inheritShort : words.inherit)(inherited)}</option>
      )}
      {levels.map((level) => (
        <option key={level} value={level}>
          {short ? words.short[level] : words.levels[level]}
        </option>
      ))}
    </select>
  );
}
