import { invalidToken } from '../access/authority.ts';
import { administrator, type Caller, isReader, nobody } from '../access/caller.ts';
import { readOnly } from '../access/scope.ts';
import { digest, hasDigest } from '../access/secret.ts';
import { projectOfKey } from '../access/server-key.ts';
import { type Claims, projectOfToken } from '../access/token.ts';
import { actors } from '../audit/audit.ts';
import { type Awaitable, after } from '../awaitable.ts';
import type { ProjectAccounts } from '../catalog/project.ts';
import { Failure } from '../failure.ts';
import { findActBy } from './act-by.ts';
import type { Services } from './services.ts';

/**
 * A caller, and the project that the token or key belongs to. `nobody` and administrators have none; administrators have a name
 * in the audit.
 */
interface Identity {
  readonly caller: Caller;
  readonly home?: string;
  readonly actor?: string;
}

/** Finds who sends a request to a project. An invalid token never counts as no token. */
export function authenticate(
  services: Services,
  headers: Headers,
  project: ProjectAccounts,
  enrolling = false,
): Awaitable<Caller> {
  const token = readToken(headers);
  if (token === undefined) return nobody;
  const admit = (caller: Caller) => (enrolling ? caller : refuseEnrolling(caller));
  const claims = project.tokens.findVerified(token, services.now());
  if (claims) return after(findUser(services, project, claims), (caller) => admit(caller ?? refuse()));
  return identify(services, token).then(({ caller, home }) => {
    if (home === undefined || home === project.id) return admit(caller);
    throw new Failure('forbidden', 'The token is of another project');
  });
}

function refuseEnrolling(caller: Caller): Caller {
  if (caller.kind !== 'user' || !caller.enrols) return caller;
  throw new Failure(
    'forbidden',
    'This project requires a second factor: set one up with POST _auth/totp and _auth/totp/confirm, then refresh the token',
  );
}

/** Management is for administrators; users and workspaces also for the project's own server keys, within what they may do. */
export async function requireManager(
  services: Services,
  { headers, method }: Pick<Request, 'headers' | 'method'>,
  keysOf?: string,
): Promise<Caller> {
  const token = readToken(headers);
  if (token === undefined) {
    throw new Failure(
      'unauthenticated',
      "Management needs the header Authorization: Bearer <administrator's key>",
    );
  }
  const { caller, home } = await identify(services, token);
  if (caller.kind === 'administrator') return caller;
  if (caller.kind === 'key' && home === keysOf) {
    if (isReader(caller) && method !== 'GET') throw new Failure('forbidden', readOnly);
    return caller;
  }
  throw new Failure('forbidden', 'Only the administrator may do this');
}

/** The sender's name in the audit if they may manage, also with a key of the project; undefined otherwise. */
export async function findActor(
  services: Services,
  headers: Headers,
  keysOf: string,
): Promise<string | undefined> {
  try {
    const token = readToken(headers);
    if (token === undefined) return undefined;
    const { caller, home, actor } = await identify(services, token);
    return actor ?? (caller.kind === 'key' && home === keysOf ? actors.key(caller.key) : undefined);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'unauthenticated') return undefined;
    throw error;
  }
}

/** For requests that are not to a project. A project's token is not refused, as it does not matter here. */
export async function isAdministrator(services: Services, headers: Headers): Promise<boolean> {
  const token = readToken(headers);
  return token !== undefined && (await identify(services, token)).caller.kind === 'administrator';
}

const bearer = /^bearer +(\S+)$/i;

/** undefined: there is no token, or the header is malformed. */
export function findToken(headers: Headers): string | undefined {
  return bearer.exec(headers.get('authorization') ?? '')?.[1];
}

export function readToken(headers: Headers): string | undefined {
  if (!headers.has('authorization')) return undefined;
  const token = findToken(headers);
  if (token !== undefined) return token;
  throw new Failure('unauthenticated', 'The Authorization header must be: Bearer <token>');
}

/** A token names its project, which counts only if that project, or the instance, knows the token. */
async function identify(services: Services, token: string): Promise<Identity> {
  const { catalog, adminKeyDigest, now, passes } = services;
  const pass = passes.get(token);
  if (pass !== undefined) return { caller: administrator, actor: pass };
  if (adminKeyDigest !== undefined && hasDigest(token, adminKeyDigest)) {
    return { caller: administrator, actor: services.adminKeyName };
  }
  const keyHome = projectOfKey(token);
  const home = keyHome ?? projectOfToken(token);
  if (home === undefined) {
    const signIn = digest(token);
    const known = await catalog.administrators.useSession(signIn, now());
    return known ? { caller: { kind: 'administrator', signIn }, actor: known.email } : refuse();
  }
  try {
    return await catalog.useAccounts(home, async (project) => {
      const caller =
        keyHome === undefined
          ? await findUserByToken(services, project, token)
          : await findKey(services, project, token);
      return caller ? { caller, home } : refuse();
    });
  } catch (error) {
    if (error instanceof Failure && error.kind === 'absent') return refuse();
    throw error;
  }
}

async function findKey(
  { keyUses, now }: Services,
  { id, store }: ProjectAccounts,
  token: string,
): Promise<Caller | undefined> {
  const key = await store.accounts.findKey(digest(token));
  if (!key || (key.expires !== null && key.expires <= now())) return undefined;
  keyUses.note(id, key, now());
  return { kind: 'key', key: key.id, access: key.access };
}

async function findUserByToken(
  services: Services,
  project: ProjectAccounts,
  token: string,
): Promise<Caller | undefined> {
  const claims = await project.tokens.verify(token, services.now());
  return claims && findUser(services, project, claims);
}

/** The signature is valid. Whether the session and the membership still are is looked up at every request. */
function findUser(
  services: Services,
  { store }: ProjectAccounts,
  { session, user, workspace, enrols, act, actBy }: Claims,
): Awaitable<Caller | undefined> {
  const found = after(store.accounts.findSession(session, workspace), (live): Caller | undefined => {
    if (live?.user !== user) return undefined;
    return {
      kind: 'user',
      user,
      workspace: live.member ? workspace : null,
      session,
      ...(enrols && { enrols }),
      ...(act !== undefined && { act, actBy }),
    };
  });
  if (act === undefined) return found;
  return findActBy(services, act).then((current) => (current === actBy ? found : undefined));
}

function refuse(): never {
  throw invalidToken();
}
