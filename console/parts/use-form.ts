import { useState } from 'preact/hooks';
import { faultsOf } from '../api.ts';
import { type Deed, useDeed } from './use-deed.ts';

interface Bound<V> {
  readonly value: V;
  readonly error: string | undefined;
}

/** A few values that are sent together. They have the names that the server uses, so that its errors find their fields. */
export interface Form<T extends object> extends Deed {
  readonly values: T;
  /** The server's error messages, by field. */
  readonly faults: Readonly<Record<string, string>>;
  /** There is an error, and it is about none of the fields. */
  readonly isElsewhere: boolean;
  /** The values differ from the initial ones. */
  readonly isChanged: boolean;
  set(change: Partial<T>): void;
  /** Props of a text control. */
  text<K extends keyof T & string>(name: K): Bound<T[K]> & { onInput(text: string): void };
  /** Props of a select. */
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
