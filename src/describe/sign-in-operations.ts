import { passwordRule } from '../access/password.ts';
import type { JsonObject } from '../model/json.ts';
import { answer, type Call, form, text } from './auth-forms.ts';
import { schemaRef } from './collection-schemas.ts';

/** Ways to sign in beside a password, as OpenAPI has them. */

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
};

const code = text(1, 200);

export const signInCalls: readonly Call[] = [
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
