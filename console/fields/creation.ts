import { createContext } from 'preact';
import type { Definition } from '../../client/admin.ts';
import type { AnyRecord, Values } from '../model/fields.ts';

/** A record to be created from within a relation field, which then points to it. */
export interface Creation {
  readonly definition: Definition;
  readonly start: Values;
  readonly onCreated: (record: AnyRecord) => void;
}

/** Provided by screens that can show a form for it; elsewhere a relation can only pick existing records. */
export const CreationContext = createContext<((creation: Creation) => void) | undefined>(undefined);
