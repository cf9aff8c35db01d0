import { invalidToken, noLongerMember, type ProjectAuthority } from '../access/authority.ts';
import type { CursorCipher } from '../access/cursor-cipher.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Project } from '../catalog/project.ts';
import { Failure } from '../failure.ts';
import type { ChangesPlan, LogPosition } from '../store/changes.ts';
import { type Following, follow, followNames, planOf, type Wanted } from './following.ts';
import { type VisibleChange, visibleChanges } from './visible-change.ts';

export interface ChangesPage {
  readonly changes: readonly VisibleChange[];
  readonly next: LogPosition;
  /** Encrypts the positions of what was read: the project may have been replaced since it was looked up. */
  readonly cipher: CursorCipher;
  readonly upToDate: boolean;
  /** Why the caller may no longer follow; then there are no changes. */
  readonly revoked: Failure | undefined;
  /** What was followed, for a subscriber that joins the feed next. */
  readonly following: Following;
  /** Why nothing more can be followed, after these changes. */
  readonly over?: Failure | undefined;
}

export interface PageRequest {
  readonly project: string;
  readonly wanted: Wanted;
  readonly authority: ProjectAuthority | undefined;
  readonly after: ChangesPlan['after'];
  readonly limit: number;
  readonly now: number;
  readonly settled?: boolean;
}

/** The next changes for one caller, under the current schema. */
export function readPage(catalog: Catalog, request: PageRequest): Promise<ChangesPage> {
  return catalog.use(request.project, (project) =>
    readFollowing(project, request, follow(project, request.wanted)),
  );
}

/** For a stream: before it ends, reports that a collection, or a field that was asked for, is gone. */
export function readLastPage(catalog: Catalog, request: PageRequest): Promise<ChangesPage> {
  return catalog.use(request.project, async (project) => {
    const { wanted } = request;
    try {
      return await readFollowing(project, request, follow(project, wanted));
    } catch (error) {
      const isOver = error instanceof Failure && isAboutCollection(error);
      if (!isOver) throw error;
      return { ...(await readFollowing(project, request, followNames(project, wanted))), over: error };
    }
  });
}

const isAboutCollection = ({ kind }: Failure) =>
  kind === 'absent' || kind === 'unauthenticated' || kind === 'forbidden' || kind === 'invalid';

async function readFollowing(
  { store, cipher }: Project,
  { authority, after, limit, now, settled = false }: PageRequest,
  following: Following,
): Promise<ChangesPage> {
  const authorities = authority ? [authority] : [];
  const answer = await store.log.read(planOf(following, { after, limit, authorities, now, settled }));
  const { next, upToDate } = answer;
  const revoked = authority && answer.revoked.length > 0 ? await refusalOf(store, authority) : undefined;
  const changes = revoked ? [] : visibleChanges(cipher, following, answer.changes);
  return { changes, next, cipher, upToDate, revoked, following };
}

/** The session may still be valid although the membership is not. */
async function refusalOf({ accounts }: Project['store'], authority: ProjectAuthority): Promise<Failure> {
  const live =
    authority.kind === 'user'
      ? await accounts.findSession(authority.session, authority.workspace)
      : undefined;
  if (authority.kind !== 'user' || live?.user !== authority.user) return invalidToken();
  return noLongerMember();
}
