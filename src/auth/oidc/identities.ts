import { Failure } from '../../failure.ts';
import { Form } from '../../model/form.ts';
import { formatInstant } from '../../model/instant.ts';
import { pageJson, readPage } from '../../query/page.ts';
import { type AuthAsk, requireUser, withRights } from '../ask.ts';
import { confirmPresence, readCurrentPassword } from '../current-password.ts';
import { beginFlow, challengePattern } from './flow.ts';

/** GET /v1/:project/_auth/providers */
export async function listProviders({ settings, query }: AuthAsk): Promise<string> {
  const page = readPage(query);
  const all = settings.providers.map(({ id, name }) => ({ id, name }));
  return pageJson(page, all.length, all.slice(page.offset, page.offset + page.limit));
}

/** GET /v1/:project/_auth/identities */
export async function listIdentities(ask: AuthAsk): Promise<string> {
  const { user } = requireUser(ask);
  const page = readPage(ask.query);
  const { total, found } = await ask.project.store.accounts.listIdentities(user, page);
  return pageJson(
    page,
    total,
    found.map(({ id, provider, email, created }) => {
      return { _id: id, provider, email, _createdAt: formatInstant(created) };
    }),
  );
}

/** DELETE /v1/:project/_auth/identities/:id */
export async function removeIdentity(ask: AuthAsk): Promise<string> {
  const { user } = requireUser(ask);
  const id = ask.param('id');
  const { accounts } = withRights(ask).project.store;
  const providers = ask.settings.providers.map((one) => ({ id: one.id, issuer: one.issuer }));
  const outcome = await accounts.removeIdentity(user, id, providers);
  if (outcome === 'absent') throw new Failure('absent', `There is no identity '${id}' of yours`);
  if (outcome === 'last')
    throw new Failure('conflict', 'It is your only way to sign in: set a password or link another first');
  return JSON.stringify({ _id: id });
}

/** POST /v1/:project/_auth/oidc/:provider: returns the URL that begins linking a provider; `exchange` completes it. */
export async function linkProvider(ask: AuthAsk): Promise<string> {
  const { user, session } = requireUser(ask);
  const { settings, now, callback } = ask;
  const provider = ask.param('provider');
  if (!settings.providers.some(({ id }) => id === provider))
    throw new Failure('absent', `There is no provider '${provider}'`);
  const form = new Form(await ask.body(), ['redirect', 'challenge', 'currentPassword']);
  const [redirect, challenge] = [form.text('redirect', { most: 2000 }), form.text('challenge')];
  if (redirect !== '' && !settings.redirects.includes(redirect))
    form.fault('redirect', "must be exactly one of the project's auth.redirects");
  if (challenge !== '' && !challengePattern.test(challenge))
    form.fault('challenge', 'must be the SHA-256 of a verifier, in base64url');
  const current = readCurrentPassword(form);
  form.done();
  await confirmPresence(ask, current);
  const flow = {
    settings,
    accounts: ask.project.store.accounts,
    provider,
    callback: callback(provider),
    now,
  };
  try {
    return JSON.stringify({ url: await beginFlow(flow, { redirect, challenge, linker: { user, session } }) });
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure('unavailable', `The provider '${provider}' can't be reached: try again later`, {
      retryAfter: 10,
    });
  }
}
