import { authorityOf } from '../../access/authority.ts';
import { administrator, type Caller, nobody } from '../../access/caller.ts';
import type { SignInAsk } from '../../admin/administrators.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { ProjectAccounts } from '../../catalog/project.ts';
import type { JsonObject } from '../../model/json.ts';
import { requireManager } from '../authenticate.ts';
import { readBody } from '../body.ts';
import { addressOf } from '../client-address.ts';
import { refuseQuery } from '../refuse-query.ts';
import { success } from '../respond.ts';
import type { Handler, Incoming, Route, Verb } from '../route.ts';
import type { Services } from '../services.ts';
import { passwordsOf } from '../turn-taker.ts';

/**
 * The name of an action in the audit. `none`: the route changes nothing although it is no GET, or writes its own entry.
 * `signIn`: the entry is written when a password is checked and not before, so that what the limits refuse is left out;
 * whatever token was sent does not count.
 */
export type Action = string | { readonly signIn: string };

/** A management route; its path is without `/v1/_admin`. */
export interface ManagementRoute extends Omit<Route, 'cors'> {
  /** The names of the actions in the audit, for every verb that changes something. */
  readonly actions?: Readonly<Partial<Record<Verb, Action>>>;
}

/** Whether a call has query parameters. */
type Takes = 'query' | 'nothing';
type Status = 200 | 201;
/** `catalog`: acts on behalf of the caller, whose session is checked again by every write. */
type Run = (incoming: Incoming, catalog: Catalog) => Promise<string>;
type ProjectRun = (project: ProjectAccounts, incoming: Incoming, caller: Caller) => Promise<string>;

/** Who may call a management route, and how its body is read. */
export interface ManagementAccess {
  /** For administrators only. */
  admin(status: Status, run: Run, takes?: Takes): Handler;
  /** For administrators only, with the accounts of the project in the path. */
  adminIn(status: Status, run: ProjectRun, takes?: Takes): Handler;
  /** For the project's server keys too. */
  keyed(status: Status, run: ProjectRun, takes?: Takes): Handler;
  /** Without a token, for callers with a password or a link. */
  open(status: Status, run: (ask: SignInAsk) => Promise<string>): Handler;
  /** Checks the caller's rights again when the body has arrived, as that may have taken long. */
  body(incoming: Incoming): Promise<JsonObject>;
}

export function managementAccess(services: Services): ManagementAccess {
  const { catalog, now } = services;
  const plainBody = ({ request }: Incoming) => readBody(request, services.limits.body);

  const admin =
    (status: Status, run: Run, takes: Takes = 'nothing'): Handler =>
    async (incoming) => {
      const caller = await requireManager(services, incoming.request);
      if (takes === 'nothing') refuseQuery(incoming.query);
      return success(status, await run(incoming, catalog.as(authorityOf(caller))));
    };

  return {
    admin,
    adminIn: (status, run, takes) =>
      admin(
        status,
        (incoming, own) =>
          own.useAccounts(incoming.param('project'), (project) => run(project, incoming, administrator)),
        takes,
      ),
    keyed:
      (status, run, takes = 'nothing') =>
      async (incoming) => {
        const id = incoming.param('project');
        const caller = await requireManager(services, incoming.request, id);
        if (takes === 'nothing') refuseQuery(incoming.query);
        return success(
          status,
          await catalog.as(authorityOf(caller)).useAccounts(id, (project) => run(project, incoming, caller)),
        );
      },
    open: (status, run) => async (incoming) => {
      refuseQuery(incoming.query);
      const address = addressOf(services, incoming);
      const passwords = passwordsOf(services, incoming, nobody, () => incoming.signIn?.begin());
      const ask = {
        body: await plainBody(incoming),
        address,
        limit: services.signInLimit,
        now: now(),
        passwords,
        found: (email: string) => incoming.signIn?.by(email),
        begin: async () => incoming.signIn?.begin(),
      };
      return success(status, await run(ask));
    },
    body: async (incoming) => {
      const read = await plainBody(incoming);
      await requireManager(services, incoming.request, incoming.param('project'));
      return read;
    },
  };
}
