import { administrator } from '../../access/caller.ts';
import {
  invitation,
  inviteAdministrator,
  listAdministrators,
  listInvitations,
  login,
  logout,
  removeAdministrator,
  setup,
  viewMe,
  withdrawInvitation,
  withdrawInvitations,
} from '../../admin/administrators.ts';
import { endImpersonations } from '../../admin/impersonate.ts';
import { createTicket } from '../../admin/tickets.ts';
import { beginTotp, confirmTotp, endTotp, loginTotp, type OwnAsk } from '../../admin/totp.ts';
import { findActor, readToken } from '../authenticate.ts';
import { addressOf } from '../client-address.ts';
import type { Incoming } from '../route.ts';
import type { Services } from '../services.ts';
import { passwordsOf } from '../turn-taker.ts';
import type { ManagementAccess, ManagementRoute } from './access.ts';

const tokenOf = ({ headers }: Request) => readToken(headers) ?? '';

/** Administrators: setup, sign-in and sign-out, and management of others. */
export function administratorRoutes(
  services: Services,
  { admin, open, body }: ManagementAccess,
): ManagementRoute[] {
  const { catalog, now } = services;
  const own = async (incoming: Incoming): Promise<OwnAsk> => ({
    body: await body(incoming),
    token: tokenOf(incoming.request),
    address: addressOf(services, incoming),
    limit: services.signInLimit,
    passwords: passwordsOf(services, incoming, administrator),
    now: now(),
  });
  return [
    {
      path: '/setup',
      actions: { POST: { signIn: 'administrator.setup' } },
      verbs: { POST: open(201, (ask) => setup(catalog.administrators, ask)) },
    },
    {
      path: '/login',
      actions: { POST: { signIn: 'administrator.login' } },
      verbs: { POST: open(200, (ask) => login(catalog.administrators, ask)) },
    },
    {
      path: '/login/totp',
      actions: { POST: { signIn: 'administrator.login' } },
      verbs: { POST: open(200, (ask) => loginTotp(catalog.administrators, ask)) },
    },
    {
      path: '/totp',
      actions: { POST: 'administrator.totp.begin', DELETE: 'administrator.totp.end' },
      verbs: {
        POST: admin(200, ({ request }, { administrators }) =>
          beginTotp(administrators, tokenOf(request), now()),
        ),
        DELETE: admin(200, async (incoming, { administrators }) =>
          endTotp(administrators, await own(incoming)),
        ),
      },
    },
    {
      path: '/totp/confirm',
      actions: { POST: 'administrator.totp.confirm' },
      verbs: {
        POST: admin(200, async (incoming, { administrators }) =>
          confirmTotp(administrators, await own(incoming)),
        ),
      },
    },
    {
      path: '/me',
      verbs: {
        GET: admin(200, ({ request }) => viewMe(catalog.administrators, tokenOf(request), now())),
      },
    },
    {
      path: '/logout',
      actions: { POST: 'administrator.logout' },
      verbs: {
        POST: admin(200, ({ request }) => logout(catalog.administrators, tokenOf(request))),
      },
    },
    {
      path: '/ticket',
      actions: { POST: 'ticket.create' },
      verbs: {
        POST: admin(200, async (incoming, { administrators }) => {
          const asked = await body(incoming);
          const actor = (await findActor(services, incoming.request.headers, '')) ?? '';
          return createTicket(administrators, asked, actor, now());
        }),
      },
    },
    {
      path: '/administrators',
      actions: { POST: invitation },
      verbs: {
        GET: admin(200, ({ query }) => listAdministrators(catalog.administrators, query), 'query'),
        POST: admin(201, async (incoming, { administrators }) => {
          const base = services.publicUrl ?? new URL(incoming.request.url).origin;
          return inviteAdministrator(administrators, await body(incoming), base, now());
        }),
      },
    },
    {
      path: '/administrators/invitations', // before the next one, which it would be an id of
      verbs: {
        GET: admin(200, ({ query }) => listInvitations(catalog.administrators, query, now()), 'query'),
      },
    },
    {
      path: '/administrators/invitations/:id',
      actions: { DELETE: 'administrator.withdraw' },
      verbs: {
        DELETE: admin(200, ({ param }, { administrators }) =>
          withdrawInvitation(administrators, param('id')),
        ),
      },
    },
    {
      path: '/administrators/:id',
      actions: { DELETE: 'administrator.remove' },
      verbs: {
        DELETE: admin(200, ({ param }, own) =>
          removeAdministrator(own, { id: param('id'), now: now() }, async (actor) => {
            await withdrawInvitations(catalog, actor, now()).catch((error: unknown) =>
              services.log.error(
                'a set-up link that an administrator made while being removed may be good still',
                error,
              ),
            );
            await endImpersonations(catalog, { actor, now: now() }, (project, error) =>
              services.log.error(`whoever acts for a user of ${project} may go on for an hour`, error),
            );
          }),
        ),
      },
    },
  ];
}
