import { v7 as uuidv7 } from 'uuid';
import type { Catalog } from '../catalog/catalog.ts';
import type { ProjectAccounts } from '../catalog/project.ts';
import { Failure } from '../failure.ts';
import { Form } from '../model/form.ts';
import type { JsonObject } from '../model/json.ts';
import type { AuditLog } from '../store/audit.ts';
import { recentEntries } from './recent-entries.ts';

/** The action's name in the audit. */
export const impersonation = 'user.impersonate';
/** Most minutes that a token is valid. */
const longest = 60;

export interface ImpersonateAsk {
  readonly user: string;
  readonly body: JsonObject;
  /** The administrator, as the audit names them. */
  readonly actor: string;
  /** A digest of that administrator's password or key. */
  readonly actBy: string;
  readonly address: string;
  readonly now: number;
  /** Writes the audit entry, before there is a token. */
  note(target: string): Promise<void>;
}

/** POST …/users/:id/impersonate: an access token to act for the user, without a refresh token. */
export async function impersonate(
  { tokens, store: { accounts } }: ProjectAccounts,
  { user: id, body, actor, actBy, address, now, note }: ImpersonateAsk,
): Promise<string> {
  const form = new Form(body, ['minutes', 'reason', 'workspace']);
  const minutes = form.wholeNumber('minutes', 1, longest);
  const reason = form.text('reason');
  const asked = form.given('workspace') ? form.text('workspace') : undefined;
  form.done();
  const user = await accounts.findUser(id);
  if (!user) throw new Failure('absent', `There is no user '${id}'`);
  if (user.disabled) throw new Failure('conflict', `${user.email} is disabled: enable the account first`);
  if (asked !== undefined && (await accounts.findRole(asked, id)) === undefined) {
    throw new Failure('invalid', [{ at: 'workspace', message: `${user.email} is no member of it` }]);
  }
  const workspace = asked ?? (await accounts.firstWorkspaceOf(id));
  await note(`${id}: ${reason}`);
  const session = {
    ...{ id: uuidv7({ msecs: now }), user: id, workspace, expires: now + minutes * 60_000 },
    ...{ impersonator: actor, seen: { used: now, address, agent: `Impersonated by ${actor}: ${reason}` } },
  };
  if (!(await accounts.openImpersonation(session, now)))
    throw new Failure('conflict', 'The account has changed meanwhile: try again');
  const expires = Math.floor(now / 1000) + minutes * 60;
  const claims = { user: id, workspace, session: session.id, expires, act: actor, actBy };
  const accessToken = await tokens.issue(claims, now);
  return JSON.stringify({ accessToken, tokenType: 'Bearer', expiresIn: minutes * 60 });
}

/**
 * Ends the impersonations by a removed administrator. `failed`: called for a project in which this failed; there they expire
 * within the hour.
 */
export async function endImpersonations(
  catalog: Pick<Catalog, 'audit' | 'useAccounts'>,
  { actor, now }: { readonly actor: string; readonly now: number },
  failed: (project: string, error: unknown) => void,
): Promise<void> {
  for (const project of await projectsOf(catalog.audit, actor, now)) {
    try {
      await catalog.useAccounts(project, ({ store }) => store.accounts.endImpersonations(actor));
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'absent') failed(project, error);
    }
  }
}

/**
 * The projects in which the actor may still act for a user. The audit has an entry from before each impersonation, so that not
 * every project has to be searched.
 */
async function projectsOf(audit: AuditLog, actor: string, now: number): Promise<ReadonlySet<string>> {
  const since = now - 2 * longest * 60_000; // twice as long, as clocks of two machines differ
  const entries = await recentEntries(audit, { actor, action: impersonation }, since);
  return new Set(entries.flatMap(({ project }) => project ?? []));
}
