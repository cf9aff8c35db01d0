import { setTimeout as sleep } from 'node:timers/promises';
import type { Catalog } from '../catalog/catalog.ts';
import type { FollowedCollection, LogEntries, LogPosition } from '../store/changes.ts';
import { type Following, planOf } from './following.ts';
import { type Group, topicsOf } from './group.ts';
import type { Subscriber } from './subscriber.ts';
import { visibleChanges } from './visible-change.ts';

const pageSize = 500;
/**
 * Milliseconds that all subscribers wait to learn whether administrators are still signed in: the instance's database knows
 * that, not the project's.
 */
const longestCheck = 250;

/** Groups that a part of the log concerns in the same way, so it is read once for all of them. */
export interface Together {
  readonly following: Following;
  readonly groups: readonly Group[];
}

/**
 * Finds the groups that the entries concern, gathered by the collections that concern them: changes of public records are read
 * once for any number of users, although each user also follows records of their own.
 */
export function gather(
  { entries }: LogEntries,
  all: Iterable<Group>,
  byTopic: ReadonlyMap<string, ReadonlySet<Group>>,
): Together[] {
  if (entries.some(({ kind }) => kind === 'refetch')) return [...all].map(alone);
  const touched = new Map<Group, [topic: string, followed: FollowedCollection][]>();
  for (const topic of new Set(entries.flatMap(topicsOf))) {
    for (const group of byTopic.get(topic) ?? []) {
      const followed = group.topics.get(topic);
      if (!followed) continue;
      const known = touched.get(group);
      if (known) known.push([topic, followed]);
      else touched.set(group, [[topic, followed]]);
    }
  }
  const found = new Map<string, { following: Following; groups: Group[] }>();
  for (const [group, by] of touched) {
    const { following } = group;
    const key = [following.fields?.join(), ...by.map(([topic, { extra }]) => `${topic} ${extra}`)].join('\n');
    const same = found.get(key);
    if (same) same.groups.push(group);
    else {
      const collections = by.map(([, followed]) => followed);
      found.set(key, { following: { ...following, collections }, groups: [group] });
    }
  }
  return [...found.values()];
}

export const alone = (group: Group): Together => ({ following: group.following, groups: [group] });

/** Reads and delivers the changes up to a position and no further: what follows may concern other collections of these groups. */
export async function deliverTogether(
  { following, groups }: Together,
  { catalog, project, now }: { catalog: Catalog; project: string; now: () => number },
  until: LogPosition,
): Promise<void> {
  let position = groups.map((group) => group.position).reduce((a, b) => (b.pos < a.pos ? b : a));
  while (position.pos < until.pos) {
    const members = new Set(groups.flatMap((group) => [...group.members]));
    if (members.size === 0) return;
    const held = [...members].map(({ authority }) => authority).filter((one) => one !== undefined);
    const authorities = [...new Set(held)];
    const after = position;
    const read = await catalog.use(project, async ({ schema, store, cipher }) => {
      if (schema.version !== following.version) return undefined;
      const plan = planOf(following, { after, limit: pageSize, authorities, now: now() });
      const answer = await store.log.read(plan);
      const changes = answer.changes.filter(({ pos }) => pos <= until.pos);
      return { ...answer, visible: visibleChanges(cipher, following, changes) };
    });
    if (!read || read.next.pos === after.pos) {
      for (const group of groups) group.release();
      return;
    }
    position = read.next.pos > until.pos ? until : read.next;
    const revoked = new Set(read.revoked.map((index) => authorities[index]));
    const { refused, unknown } = await findRefused(members);
    for (const group of groups) {
      for (const member of unknown) group.releaseOne(member);
      group.deliver({ changes: read.visible, next: position, members, revoked, refused });
    }
  }
}

/**
 * Asks the instance which administrators are no longer signed in. `unknown`: there was no answer in time; these check again by
 * themselves.
 */
export async function findRefused(members: ReadonlySet<Subscriber>) {
  const refused = new Set<Subscriber>();
  const unknown = new Set([...members].filter(({ isGood }) => isGood));
  if (unknown.size === 0) return { refused, unknown };
  const over = new AbortController();
  const asked = [...unknown].map(async (member) => {
    const isGood = await member.isGood?.();
    if (over.signal.aborted) return;
    if (!isGood) refused.add(member);
    unknown.delete(member);
  });
  const enough = sleep(longestCheck, undefined, { signal: over.signal }).catch(() => {});
  await Promise.race([Promise.allSettled(asked), enough]);
  over.abort();
  return { refused, unknown };
}
