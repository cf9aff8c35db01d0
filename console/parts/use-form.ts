import { useState } from 'preact/hooks';
import { faultAt, faultsOf, isElsewhere } from '../faults.ts';
import { type Deed, useDeed } from './use-deed.ts';

interface Bound<V> {
  readonly value: V;
  readonly error: string | undefined;
}

/** A few values that are sent together. They have the names that the server uses, so that its errors find their fields. */
export interface Form<T extends object> extends Deed {
  readonly values: T;
  /** The server's messages about a field and what is below it. */
  fault(place: string): string | undefined;
  /** There is an error, of which the controls do not show everything. */
  readonly isElsewhere: boolean;
  /** The values differ from the initial ones. */
  readonly isChanged: boolean;
  set(change: Partial<T>): void;
  /** Props of a text control. */
  text<K extends keyof T & string>(name: K): Bound<T[K]> & { onInput(text: string): void };
  /** Props of a select. */
  choice<K extends keyof T & string>(name: K): Bound<T[K]> & { onChange(choice: T[K]): void };
}

/** `places`: those whose messages a control shows, if these are not the values. */
export function useForm<T extends object>(
  start: T,
  send: (values: T) => Promise<unknown>,
  onDone?: () => void,
  places: readonly string[] = Object.keys(start),
): Form<T> {
  const [begun] = useState(start);
  const [values, setValues] = useState(start);
  const deed = useDeed(() => send(values), onDone);
  const faults = faultsOf(deed.error);
  const set = (change: Partial<T>) => setValues((known) => ({ ...known, ...change }));
  const fault = (place: string) => faultAt(faults, place);
  return {
    ...deed,
    values,
    fault,
    isElsewhere: isElsewhere(deed.error, places),
    isChanged: JSON.stringify(values) !== JSON.stringify(begun),
    set,
    text: (name) => ({
      value: values[name],
      error: fault(name),
      onInput: (text) => set({ [name]: text } as unknown as Partial<T>),
    }),
    choice: (name) => ({
      value: values[name],
      error: fault(name),
      onChange: (choice) => set({ [name]: choice } as unknown as Partial<T>),
    }),
  };
}
