import {
  inviteAdministrator,
  listAdministrators,
  login,
  logout,
  removeAdministrator,
  setup,
  viewMe,
} from '../../admin/administrators.ts';
import { createTicket } from '../../admin/tickets.ts';
import { readToken } from '../authenticate.ts';
import type { Services } from '../services.ts';
import type { ManagementAccess, ManagementRoute } from './access.ts';

const tokenOf = ({ headers }: Request) => readToken(headers) ?? '';

/** Administrators: the first one, signing in and out, and who else there is. */
export function administratorRoutes(
  { catalog, now }: Services,
  { admin, open, body }: ManagementAccess,
): ManagementRoute[] {
  return [
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
  ];
}
