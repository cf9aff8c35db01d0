import { createContext } from 'preact';
import type { Definition } from '../../client/admin.ts';
import type { AnyRecord, Values } from '../model/fields.ts';

/** A record that is to be made on the way, for a relation to point to. */
export interface Creation {
  readonly definition: Definition;
  readonly start: Values;
  readonly onCreated: (record: AnyRecord) => void;
}

/** Asks for one: given by the screen that has a form for it. Without it a relation only picks. */
export const CreationContext = createContext<((creation: Creation) => void) | undefined>(undefined);
