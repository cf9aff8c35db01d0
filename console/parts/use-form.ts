import { useState } from 'preact/hooks';
import { faultsOf } from '../api.ts';
import { type Deed, useDeed } from './use-deed.ts';

interface Bound<V> {
  readonly value: V;
  readonly error: string | undefined;
}

/** A few values that are typed and sent together. Each is called as the server calls it, so that its faults come to it. */
export interface Form<T extends object> extends Deed {
  readonly values: T;
  /** What the server says is wrong, by field. */
  readonly faults: Readonly<Record<string, string>>;
  /** Something is wrong that is at none of the fields. */
  readonly isElsewhere: boolean;
  /** Something was typed or chosen. */
  readonly isChanged: boolean;
  set(change: Partial<T>): void;
  /** For a control of text. */
  text<K extends keyof T & string>(name: K): Bound<T[K]> & { onInput(text: string): void };
  /** For one of several choices. */
  choice<K extends keyof T & string>(name: K): Bound<T[K]> & { onChange(choice: T[K]): void };
}

export function useForm<T extends object>(
  start: T,
  send: (values: T) => Promise<unknown>,
  onDone?: () => void,
): Form<T> {
  const [begun] = useState(start);
  const [values, setValues] = useState(start);
  const deed = useDeed(() => send(values), onDone);
  const faults = faultsOf(deed.error);
  const set = (change: Partial<T>) => setValues((known) => ({ ...known, ...change }));
  const isHere = (at: string) => Object.hasOwn(start, at.split(/[.[]/)[0] ?? '');
  return {
    ...deed,
    values,
    faults,
    isElsewhere: deed.error !== undefined && !Object.keys(faults).some(isHere),
    isChanged: JSON.stringify(values) !== JSON.stringify(begun),
    set,
    text: (name) => ({
      value: values[name],
      error: faults[name],
      onInput: (text) => set({ [name]: text } as unknown as Partial<T>),
    }),
    choice: (name) => ({
      value: values[name],
      error: faults[name],
      onChange: (choice) => set({ [name]: choice } as unknown as Partial<T>),
    }),
  };
}
