import { administrator } from '../access/caller.ts';
import type { Project } from '../catalog/project.ts';
import { closePosition, readPosition, tagOf } from '../changes/position.ts';
import { Failure } from '../failure.ts';
import type { LogPosition } from '../store/changes.ts';
import { StaleSchema } from '../store/schema.ts';
import type { Waiting } from '../store/webhooks.ts';

export type TakenChange = Omit<Waiting, 'n' | 'attempt'>;

/** A project's log of changes, as webhooks read it: every change, whoever it is of. Positions are texts of ours. */
export interface ChangeLog {
  /** lost: what follows the position is not kept any more. */
  after(position: string, limit: number): Promise<{ changes: readonly TakenChange[]; next: string } | 'lost'>;
  now(): Promise<string>;
  /** As the feed gives it to administrators. */
  publicPosition(position: string): string;
  /** The stored form of a public position; '' for the oldest that is kept. Throws a Failure where it is no position, or no longer kept. */
  read(position: string): Promise<string>;
}

export function changeLog({ store, schema, cipher }: Project): ChangeLog {
  const { log } = store;
  const names = new Map([...schema.collections.values()].map(({ key, definition }) => [key, definition.id]));
  return {
    async after(position, limit) {
      try {
        const { changes, next } = await log.logged(readStored(position), limit);
        // Those of a collection that another process has just made, or changed, would be taken for those of an old definition.
        if (changes.length > 0 && (await store.schemaVersion()) !== schema.version) throw new StaleSchema();
        const taken = changes.flatMap(({ kind, collection, id, at, ...place }): TakenChange[] => {
          const here = { position: writeStored(place), kind, changed: at };
          if (kind === 'refetch') return [{ ...here, collection: id, id: null }];
          // Of a definition before the current one: its change is reported as refetch.
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

/** A webhook that came with a copy of its project is nowhere. */
function readStored(text: string): LogPosition {
  const [pos, mark] = text.split('-').map(Number);
  return { pos: pos ?? -1, mark: mark ?? -1 };
}
