import type { ProjectAuthority } from '../access/authority.ts';
import type { Scope } from '../access/scope.ts';
import type { FollowedCollection, LogEntry, LogPosition } from '../store/changes.ts';
import type { Following } from './following.ts';
import type { Subscriber } from './subscriber.ts';
import type { VisibleChange } from './visible-change.ts';

/** A part of the log, and the subscribers it was read for. */
export interface Reading {
  readonly changes: readonly VisibleChange[];
  readonly next: LogPosition;
  readonly members: ReadonlySet<Subscriber>;
  /** The authorities of members that no longer hold. */
  readonly revoked: ReadonlySet<ProjectAuthority | undefined>;
  /** Members who may no longer follow for another reason. */
  readonly refused: ReadonlySet<Subscriber>;
}

/** Subscribers who follow the same collections with the same scope. */
export class Group {
  readonly following: Following;
  /** The topics of log entries that concern the group, each with what it follows of that collection. */
  readonly topics: ReadonlyMap<string, FollowedCollection>;
  readonly members = new Set<Subscriber>();
  position: LogPosition;

  constructor(following: Following, position: LogPosition) {
    this.following = following;
    this.topics = new Map(following.collections.map((one) => [topicOf(one.ref.key, one.scope), one]));
    this.position = position;
  }

  /** Moves on over entries that concern none of the members. */
  moveTo(position: LogPosition): void {
    if (position.pos > this.position.pos) this.position = position;
  }

  leave(member: Subscriber): void {
    if (!this.members.delete(member)) return;
    if (member.position.pos < this.position.pos) member.position = this.position;
  }

  release(): void {
    for (const member of [...this.members]) this.releaseOne(member);
  }

  /** Does nothing where the subscriber is not a member. */
  releaseOne(member: Subscriber): void {
    if (!this.members.has(member)) return;
    this.leave(member);
    member.release();
  }

  /** Delivers what was read up to a position to those who were members then. */
  deliver({ changes, next, members, revoked, refused }: Reading): void {
    this.moveTo(next);
    for (const member of [...this.members]) {
      if (!members.has(member)) {
        // It joined during the read, so its rights were not checked: it reads this part by itself.
        if (member.position.pos >= next.pos) continue;
        this.members.delete(member);
        member.release();
      } else if (refused.has(member) || (member.authority && revoked.has(member.authority))) {
        this.leave(member);
        member.end();
      } else this.#deliver(member, changes, next);
    }
  }

  #deliver(member: Subscriber, changes: readonly VisibleChange[], next: LogPosition): void {
    const { pos } = member.position;
    const fresh =
      changes.length > 0 && changes[0] && changes[0].position.pos <= pos
        ? changes.filter(({ position }) => position.pos > pos)
        : changes;
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
