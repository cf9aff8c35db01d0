import { authorityOf } from '../access/authority.ts';
import { administrator, type Caller, nobody } from '../access/caller.ts';
import {
  inviteAdministrator,
  listAdministrators,
  login,
  logout,
  removeAdministrator,
  type SignInAsk,
  setup,
  viewMe,
} from '../admin/administrators.ts';
import {
  changeCollection,
  createCollection,
  deleteCollection,
  listCollections,
  viewCollection,
} from '../admin/collections.ts';
import { explain } from '../admin/explain.ts';
import { createKey, deleteKey, listKeys } from '../admin/keys.ts';
import { createProject, deleteProject, listProjects, updateProject, viewProject } from '../admin/projects.ts';
import { viewStats } from '../admin/stats.ts';
import { createTicket } from '../admin/tickets.ts';
import { createUser, deleteUser, listUsers, updateUser, viewUser } from '../admin/users.ts';
import {
  addMember,
  createWorkspace,
  deleteWorkspace,
  listMembers,
  listWorkspaces,
  removeMember,
  updateWorkspace,
  viewWorkspace,
} from '../admin/workspaces.ts';
import type { ProjectAccounts } from '../catalog/project.ts';
import { requireCollection } from '../catalog/require-collection.ts';
import { readToken, requireManager } from './authenticate.ts';
import { readBody } from './body.ts';
import { addressOf } from './client-address.ts';
import { refuseQuery } from './refuse-query.ts';
import { success } from './respond.ts';
import type { Handler, Incoming, Route } from './route.ts';
import type { Services } from './services.ts';
import { passwordsOf } from './turn-taker.ts';

/** Does a call take parameters? */
type Takes = 'query' | 'nothing';
type Run = (incoming: Incoming) => Promise<string>;
type ProjectRun = (project: ProjectAccounts, incoming: Incoming, caller: Caller) => Promise<string>;

/** /v1/_admin: management. */
export function adminRoutes(services: Services): Route[] {
  const { catalog, now } = services;
  const plainBody = ({ request }: Incoming) => readBody(request, services.limits.body);
  /** Who was allowed to send it is looked at again once it is here: it may have taken its time. */
  const body = async (incoming: Incoming) => {
    const read = await plainBody(incoming);
    await requireManager(services, incoming.request.headers, incoming.param('project'));
    return read;
  };

  /** For the administrator alone. */
  const admin =
    (status: 200 | 201, run: Run, takes: Takes = 'nothing'): Handler =>
    async (incoming) => {
      await requireManager(services, incoming.request.headers);
      if (takes === 'nothing') refuseQuery(incoming.query);
      return success(status, await run(incoming));
    };
  const adminIn = (status: 200 | 201, run: ProjectRun, takes?: Takes): Handler =>
    admin(
      status,
      (incoming) =>
        catalog.useAccounts(incoming.param('project'), (project) => run(project, incoming, administrator)),
      takes,
    );
  /** For the project's server keys too. */
  const keyed =
    (status: 200 | 201, run: ProjectRun, takes: Takes = 'nothing'): Handler =>
    async (incoming) => {
      const id = incoming.param('project');
      const caller = await requireManager(services, incoming.request.headers, id);
      if (takes === 'nothing') refuseQuery(incoming.query);
      return success(
        status,
        await catalog.useAccounts(id, ({ id: project, tokens, store }) => {
          const accounts = store.accounts.as(authorityOf(caller));
          return run({ id: project, tokens, store: { accounts } }, incoming, caller);
        }),
      );
    };
  const open =
    (status: 200 | 201, run: (ask: SignInAsk) => Promise<string>): Handler =>
    async (incoming) => {
      refuseQuery(incoming.query);
      const address = addressOf(services, incoming);
      const passwords = passwordsOf(services, incoming, nobody);
      const ask = {
        body: await plainBody(incoming),
        address,
        limit: services.signInLimit,
        now: now(),
        passwords,
      };
      return success(status, await run(ask));
    };

  const tokenOf = ({ headers }: Request) => readToken(headers) ?? '';

  const routes: Omit<Route, 'cors'>[] = [
    { path: '/setup', verbs: { POST: open(201, (ask) => setup(catalog.administrators, ask)) } },
    { path: '/login', verbs: { POST: open(200, (ask) => login(catalog.administrators, ask)) } },
    {
      path: '/me',
      verbs: {
        GET: admin(200, ({ request }) => viewMe(catalog.administrators, tokenOf(request), now())),
      },
    },
    {
      path: '/logout',
      verbs: {
        POST: admin(200, ({ request }) => logout(catalog.administrators, tokenOf(request))),
      },
    },
    {
      path: '/ticket',
      verbs: {
        POST: admin(200, async (incoming) =>
          createTicket(catalog.administrators, await body(incoming), now()),
        ),
      },
    },
    {
      path: '/administrators',
      verbs: {
        GET: admin(200, ({ query }) => listAdministrators(catalog.administrators, query), 'query'),
        POST: admin(201, async (incoming) => {
          const { origin } = new URL(incoming.request.url);
          return inviteAdministrator(catalog.administrators, await body(incoming), origin, now());
        }),
      },
    },
    {
      path: '/administrators/:id',
      verbs: {
        DELETE: admin(200, ({ param }) => removeAdministrator(catalog.administrators, param('id'))),
      },
    },
    {
      path: '/projects',
      verbs: {
        GET: admin(200, ({ query }) => listProjects(catalog, query), 'query'),
        POST: admin(201, async (incoming) => createProject(catalog, await body(incoming))),
      },
    },
    {
      path: '/projects/:project',
      verbs: {
        GET: admin(200, ({ param }) => viewProject(catalog, param('project'))),
        PATCH: admin(200, async (incoming) => {
          const { id } = await catalog.requireProject(incoming.param('project'));
          return updateProject(catalog, id, await body(incoming));
        }),
        DELETE: admin(200, ({ param, query }) => deleteProject(catalog, param('project'), query), 'query'),
      },
    },
    {
      path: '/projects/:project/collections',
      verbs: {
        GET: admin(200, ({ param, query }) => listCollections(catalog, param('project'), query), 'query'),
        POST: admin(201, async (incoming) => {
          const { id } = await catalog.requireProject(incoming.param('project'));
          return createCollection(catalog, id, await body(incoming));
        }),
      },
    },
    {
      path: '/projects/:project/collections/:collection',
      verbs: {
        GET: admin(200, ({ param }) => viewCollection(catalog, param('project'), param('collection'))),
        PUT: admin(
          200,
          async (incoming) => {
            const [project, collection] = [incoming.param('project'), incoming.param('collection')];
            await catalog.use(project, (open) => requireCollection(open, collection), 'fresh');
            return changeCollection(
              catalog,
              services.log,
              project,
              collection,
              await body(incoming),
              incoming.query,
            );
          },
          'query',
        ),
        DELETE: admin(
          200,
          ({ param, query }) => {
            return deleteCollection(catalog, param('project'), param('collection'), query);
          },
          'query',
        ),
      },
    },
    {
      path: '/projects/:project/collections/:collection/stats',
      verbs: {
        GET: admin(200, ({ param }) =>
          catalog.use(param('project'), (project) => viewStats(project, param('collection'))),
        ),
      },
    },
    {
      path: '/projects/:project/users',
      verbs: {
        GET: keyed(200, (project, { query }) => listUsers(project, query), 'query'),
        POST: keyed(201, async (project, incoming, caller) => {
          const passwords = passwordsOf(services, incoming, caller);
          return createUser(project, passwords, await body(incoming), now());
        }),
      },
    },
    {
      path: '/projects/:project/users/:id',
      verbs: {
        GET: keyed(200, (project, { param }) => viewUser(project, param('id'))),
        PATCH: keyed(200, async (project, incoming, caller) => {
          const passwords = passwordsOf(services, incoming, caller);
          return updateUser(project, passwords, incoming.param('id'), await body(incoming), now());
        }),
        DELETE: keyed(200, (project, { param }) => deleteUser(project, param('id'))),
      },
    },
    {
      path: '/projects/:project/workspaces',
      verbs: {
        GET: keyed(200, (project, { query }) => listWorkspaces(project, query), 'query'),
        POST: keyed(201, async (project, incoming) => createWorkspace(project, await body(incoming), now())),
      },
    },
    {
      path: '/projects/:project/workspaces/:id',
      verbs: {
        GET: keyed(200, (project, { param }) => viewWorkspace(project, param('id'))),
        PATCH: keyed(200, async (project, incoming) => {
          return updateWorkspace(project, incoming.param('id'), await body(incoming), now());
        }),
        DELETE: keyed(200, (project, { param }) => deleteWorkspace(project, param('id'))),
      },
    },
    {
      path: '/projects/:project/workspaces/:id/members',
      verbs: {
        GET: keyed(200, (project, { param, query }) => listMembers(project, param('id'), query), 'query'),
        POST: keyed(201, async (project, incoming) =>
          addMember(project, incoming.param('id'), await body(incoming)),
        ),
      },
    },
    {
      path: '/projects/:project/workspaces/:id/members/:user',
      verbs: {
        DELETE: keyed(200, (project, { param }) => removeMember(project, param('id'), param('user'))),
      },
    },
    {
      path: '/projects/:project/explain',
      verbs: {
        POST: admin(200, async (incoming) => {
          const id = incoming.param('project');
          await catalog.requireProject(id);
          const question = await body(incoming);
          return catalog.use(id, (project) => explain(project, question), 'fresh');
        }),
      },
    },
    {
      path: '/projects/:project/keys',
      verbs: {
        GET: adminIn(200, (project, { query }) => listKeys(project, query), 'query'),
        POST: adminIn(201, async (project, incoming) => createKey(project, await body(incoming), now())),
      },
    },
    {
      path: '/projects/:project/keys/:id',
      verbs: { DELETE: adminIn(200, (project, { param }) => deleteKey(project, param('id'))) },
    },
  ];
  return routes.map((route) => ({ ...route, path: `/v1/_admin${route.path}`, cors: false }));
}
