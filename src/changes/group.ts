import type { Scope } from '../access/scope.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { LogEntry, LogPosition } from '../store/changes.ts';
import { type Following, planOf } from './following.ts';
import type { Subscriber } from './subscriber.ts';
import { tellChanges } from './told-change.ts';

const pageSize = 500;

/** Those who follow the same with the same scope: what is read for one is read for all. */
export class Group {
  readonly following: Following;
  readonly members = new Set<Subscriber>();
  position: LogPosition;

  constructor(following: Following, position: LogPosition) {
    this.following = following;
    this.position = position;
  }

  /** The kinds of entries of the log that concern it. */
  get topics(): string[] {
    return this.following.collections.map(({ ref, scope }) => topicOf(ref.key, scope));
  }

  /** What holds for all is passed by without a word. */
  moveTo(position: LogPosition): void {
    if (position.pos > this.position.pos) this.position = position;
  }

  leave(member: Subscriber): void {
    if (!this.members.delete(member)) return;
    if (member.position.pos < this.position.pos) member.position = this.position;
  }

  release(): void {
    for (const member of [...this.members]) {
      this.leave(member);
      member.release();
    }
  }

  /** Reads and tells what there is up to a position. */
  async advance(catalog: Catalog, project: string, until: LogPosition, now: () => number): Promise<void> {
    while (this.members.size > 0 && this.position.pos < until.pos) {
      const members = [...this.members];
      const authorities = [...new Set(members.map(({ authority }) => authority))].filter(
        (one) => one !== undefined,
      );
      const { following, position: after } = this;
      const read = await catalog.use(project, async ({ schema, store, cipher }) => {
        if (schema.version !== following.version) return undefined;
        const plan = planOf(following, { after, limit: pageSize, authorities, now: now() });
        const answer = await store.log.read(plan);
        return { ...answer, told: tellChanges(cipher, following, answer.changes) };
      });
      if (!read || read.next.pos === after.pos) return this.release();
      const revoked = new Set(read.revoked.map((index) => authorities[index]));
      this.position = read.next;
      for (const member of members) {
        if (!this.members.has(member)) continue;
        if (member.authority && revoked.has(member.authority)) {
          this.leave(member);
          member.end();
        } else this.#tell(member, read.told, read.next);
      }
      // Who came while this was read was not asked for their right to it.
      for (const member of [...this.members]) {
        if (member.position.pos >= read.next.pos || members.includes(member)) continue;
        this.members.delete(member);
        member.release();
      }
    }
  }

  #tell(member: Subscriber, told: Parameters<Subscriber['deliver']>[0], next: LogPosition): void {
    const { pos } = member.position;
    const fresh =
      told.length > 0 && told[0] && told[0].position.pos <= pos
        ? told.filter(({ position }) => position.pos > pos)
        : told;
    if (fresh.length > 0 && !member.deliver(fresh)) this.members.delete(member);
    else if (next.pos > pos) member.position = next;
  }
}

function topicOf(key: number, scope: Scope): string {
  switch (scope.kind) {
    case 'all':
      return `${key}`;
    case 'owner':
      return `${key} owner ${scope.owner}`;
    case 'workspace':
      return `${key} workspace ${scope.workspace}`;
  }
}

/** The topics of an entry of the log. */
export function topicsOf({ collection, owners, workspaces }: LogEntry): string[] {
  return [
    `${collection}`,
    ...owners.map((owner) => `${collection} owner ${owner}`),
    ...workspaces.map((workspace) => `${collection} workspace ${workspace}`),
  ];
}
