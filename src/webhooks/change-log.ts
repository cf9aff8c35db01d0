import { administrator } from '../access/caller.ts';
import type { Project } from '../catalog/project.ts';
import { closePosition, readPosition, tagOf } from '../changes/position.ts';
import { Failure } from '../failure.ts';
import type { LogPosition } from '../store/changes.ts';
import { StaleSchema } from '../store/schema.ts';
import type { Waiting } from '../store/webhooks.ts';

export type TakenChange = Omit<Waiting, 'n' | 'attempt'>;

/** A project's change log as webhooks read it: all changes, whoever owns the record. Positions are in the stored form. */
export interface ChangeLog {
  /** lost: the changes after the position are no longer kept. */
  after(position: string, limit: number): Promise<{ changes: readonly TakenChange[]; next: string } | 'lost'>;
  now(): Promise<string>;
  /** The position as the change feed shows it to administrators. */
  publicPosition(position: string): string;
  /** The stored form of a public position; '' is the oldest one kept. Throws a Failure if it is invalid or no longer kept. */
  read(position: string): Promise<string>;
}

export function changeLog({ store, schema, cipher }: Project): ChangeLog {
  const { log } = store;
  const names = new Map([...schema.collections.values()].map(({ key, definition }) => [key, definition.id]));
  return {
    async after(position, limit) {
      try {
        const { changes, next } = await log.logged(readStored(position), limit);
        // Changes of a collection that another process has just created or changed would be taken for those of an old definition.
        if (changes.length > 0 && (await store.schemaVersion()) !== schema.version) throw new StaleSchema();
        const taken = changes.flatMap(({ kind, collection, id, at, ...place }): TakenChange[] => {
          const here = { position: writeStored(place), kind, changed: at };
          if (kind === 'refetch') return [{ ...here, collection: id, id: null }];
          // Belongs to an earlier definition, whose change is reported as a refetch.
          const name = names.get(collection);
          return name === undefined ? [] : [{ ...here, collection: name, id }];
        });
        return { changes: taken, next: writeStored(next) };
      } catch (error) {
        if (error instanceof Failure && error.kind === 'gone') return 'lost';
        throw error;
      }
    },
    now: async () => writeStored(await log.newest()),
    publicPosition: (position) => `${closePosition(cipher, readStored(position))}.${tagOf(administrator)}`,
    async read(position) {
      const after = position === '' ? 'oldest' : readPosition(cipher, administrator, position, 'after');
      return writeStored((await log.logged(after, 0)).next);
    },
  };
}

const writeStored = ({ pos, mark }: LogPosition) => `${pos}-${mark}`;

/** A webhook of a copied project has an empty position, which matches no place in the log. */
function readStored(text: string): LogPosition {
  const [pos, mark] = text.split('-').map(Number);
  return { pos: pos ?? -1, mark: mark ?? -1 };
}
