import { passwordRule } from '../access/password.ts';
import { challengePattern } from '../auth/oidc/flow.ts';
import { idSchema } from '../model/fields/relation.ts';
import type { JsonObject } from '../model/json.ts';
import { answer, type Call, form, page, text } from './auth-forms.ts';
import { schemaRef } from './collection-schemas.ts';

/** Ways to sign in besides a password, in OpenAPI. */

export const signInSchemas: Readonly<Record<string, JsonObject>> = {
  _signIn: {
    oneOf: [
      schemaRef('_tokens'),
      answer({ factorToken: { type: 'string' }, expiresIn: { type: 'integer', description: 'Seconds.' } }),
    ],
    description: 'Tokens, or, where the account has a second factor, what the second half goes on with.',
  },
  _totp: answer({
    secret: { type: 'string', description: 'In base32.' },
    uri: { type: 'string', description: 'For a QR code.' },
  }),
  _recoveryCodes: answer({ recoveryCodes: { type: 'array', items: { type: 'string' } } }),
  _provider: answer({ id: { type: 'string' }, name: { type: 'string' } }),
  _providerPage: page('_provider'),
  _identity: answer({
    ...{ _id: idSchema, provider: { type: 'string' }, email: { type: 'string' } },
    _createdAt: { type: 'string', format: 'date-time' },
  }),
  _identityPage: page('_identity'),
  _address: answer({ url: { type: 'string', description: 'Where to send the browser.' } }),
};

const code = text(1, 200);

const parameter = (name: string, description: string): JsonObject => ({
  ...{ name, in: 'query', required: true, description, schema: { type: 'string' } },
});
const challenge = { type: 'string', pattern: challengePattern.source };

/** Sign-in with a provider; described also if the project has none. */
const providerCalls: readonly Call[] = [
  {
    name: 'providers',
    verb: 'get',
    path: '/providers',
    summary: 'The providers to sign in with',
    open: true,
    paged: true,
    result: '_providerPage',
  },
  {
    name: 'beginSignIn',
    verb: 'get',
    path: '/oidc/{provider}',
    summary:
      'For a browser: goes to the provider, and comes back to redirect with a code for exchange, or an error',
    open: true,
    parameters: [
      parameter('redirect', "Exactly one of the project's auth.redirects."),
      parameter('challenge', 'The SHA-256 of a verifier that the app made up, in base64url.'),
    ],
    refusals: [400, 404, 501],
  },
  {
    name: 'signInCallback',
    verb: 'get',
    path: '/oidc/{provider}/callback',
    summary: 'Where the provider sends the browser back to',
    open: true,
    refusals: [400, 404, 501],
  },
  {
    name: 'exchange',
    verb: 'post',
    path: '/exchange',
    summary: 'The code that a browser came back with, once, within a minute, for tokens',
    open: true,
    body: form({ code, verifier: code }),
    result: '_signIn',
    refusals: [409],
  },
  {
    name: 'identities',
    verb: 'get',
    path: '/identities',
    summary: "The user's links to providers",
    paged: true,
    result: '_identityPage',
  },
  {
    name: 'linkProvider',
    verb: 'post',
    path: '/oidc/{provider}',
    summary:
      'The address that links another one, with the password or within five minutes of a sign-in; exchange completes it',
    body: form({
      ...{ redirect: text(1, 2000), challenge },
      'currentPassword?': text(1, passwordRule.most),
    }),
    result: '_address',
    refusals: [404, 501],
  },
  {
    name: 'removeIdentity',
    verb: 'delete',
    path: '/identities/{id}',
    summary: 'Removes a link, except the last way to sign in',
    result: '_id',
    refusals: [404, 409],
  },
];

export const signInCalls: readonly Call[] = [
  ...providerCalls,
  {
    name: 'loginTotp',
    verb: 'post',
    path: '/login/totp',
    summary: 'The second half of a sign-in, with a code of the authenticator app or a recovery code',
    open: true,
    body: form({ factorToken: text(1, 200), code }),
    result: '_tokens',
    refusals: [409],
  },
  {
    name: 'beginTotp',
    verb: 'post',
    path: '/totp',
    summary: 'Begins to set up a second factor',
    result: '_totp',
    refusals: [409],
  },
  {
    name: 'confirmTotp',
    verb: 'post',
    path: '/totp/confirm',
    summary: 'The first code: from now on it is asked for. Answers the recovery codes, once',
    body: form({ code }),
    result: '_recoveryCodes',
    refusals: [409],
  },
  {
    name: 'endTotp',
    verb: 'delete',
    path: '/totp',
    summary: 'Turns the second factor off',
    body: form({ 'currentPassword?': text(1, passwordRule.most), code }),
    result: '_nothing',
    refusals: [409],
  },
];
