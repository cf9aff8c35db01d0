import type { Definition } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import type { Fault, Payload } from './to-payload.ts';

export interface Rules {
  /** What the server would refuse of a new record, as far as other records have nothing to do with it. */
  faultsOf(payload: Payload): readonly Fault[];
  /** A value as the server would store it; undefined if it would refuse it. */
  stored(field: string, value: Json): Json | undefined;
}

/** The server's own rules. They are imported where they are needed, as they are more than a third as large as the first load. */
export async function loadRules(definition: Definition, all: readonly Definition[]): Promise<Rules> {
  const [{ compilePayload }, { readStoredCollection }, { Failure }] = await Promise.all([
    import('../../../src/model/payload.ts'),
    import('../../../src/model/read-collection.ts'),
    import('../../../src/failure.ts'),
  ]);
  const others = new Set(all.map(({ id }) => id));
  const reader = compilePayload(readStoredCollection(definition as unknown as Json, others));
  const orIssues = <T>(read: () => T): { value?: T; issues: readonly Fault[] } => {
    try {
      return { value: read(), issues: [] };
    } catch (error) {
      if (error instanceof Failure) return { issues: error.issues };
      throw error;
    }
  };
  return {
    faultsOf: (payload) => orIssues(() => reader.create(payload, true)).issues,
    stored: (field, value) => orIssues(() => reader.update({ [field]: value }, true)).value?.values[field],
  };
}
