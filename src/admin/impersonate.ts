import { v7 as uuidv7 } from 'uuid';
import type { Catalog } from '../catalog/catalog.ts';
import type { ProjectAccounts } from '../catalog/project.ts';
import { Failure } from '../failure.ts';
import { Form } from '../model/form.ts';
import type { JsonObject } from '../model/json.ts';
import type { AuditLog } from '../store/audit.ts';
import { recentEntries } from './recent-entries.ts';

/** As the audit calls it. */
export const impersonation = 'user.impersonate';
/** Minutes. */
const longest = 60;

export interface ImpersonateAsk {
  readonly user: string;
  readonly body: JsonObject;
  /** Who does it, as the audit names them. */
  readonly actor: string;
  /** A digest of what they sign in by. */
  readonly actBy: string;
  readonly address: string;
  readonly now: number;
  /** Writes it into the audit, before there is a token. */
  note(target: string): Promise<void>;
}

/** POST …/users/:id/impersonate: a token of the user for whoever helps them. There is none to refresh it with. */
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
 * Ends what an administrator opened who is none any more. `failed`: a project in which that could not be done; there it ends by itself,
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
 * The projects in which the actor may still act for a user. The audit has an entry before each time begins, so that not every
 * project has to be asked.
 */
async function projectsOf(audit: AuditLog, actor: string, now: number): Promise<ReadonlySet<string>> {
  const since = now - 2 * longest * 60_000; // clocks of two machines differ
  const entries = await recentEntries(audit, { actor, action: impersonation }, since);
  return new Set(entries.flatMap(({ project }) => project ?? []));
}
