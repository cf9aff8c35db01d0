import { passwordRule } from '../access/password.ts';
import { idSchema } from '../model/fields/relation.ts';
import type { JsonObject } from '../model/json.ts';
import type { AuthSettings } from '../store/project-record.ts';
import { accountCallSchemas, accountCalls } from './account-operations.ts';
import { answer, type Call, email, form, page, password, role, text, token } from './auth-forms.ts';
import { schemaRef } from './collection-schemas.ts';
import { profileSchemas } from './profile-schemas.ts';
import { type Described, security } from './record-operations.ts';
import { refusalsOf, success } from './responses.ts';
import { parameterRef } from './shared-parameters.ts';
import { signInCalls, signInSchemas } from './sign-in-operations.ts';

/** The account calls in OpenAPI. They are the same for every caller. */

export const accountSchemas: Readonly<Record<string, JsonObject>> = {
  _user: answer({
    _id: idSchema,
    email: { type: 'string' },
    name: { type: 'string' },
    workspace: {
      type: ['string', 'null'],
      format: 'uuid',
      description: 'The current workspace of the token.',
    },
    verified: { type: 'boolean', description: "Whether the address was shown to be the user's." },
    profile: schemaRef('_profile'),
  }),
  _tokens: answer({
    user: schemaRef('_user'),
    accessToken: { type: 'string', description: 'For the header Authorization: Bearer.' },
    refreshToken: { type: 'string', description: 'Gets new tokens, once.' },
    tokenType: { type: 'string', const: 'Bearer' },
    expiresIn: { type: 'integer', description: 'Seconds.' },
  }),
  _streamTicket: answer({
    ticket: { type: 'string', description: 'For the parameter ticket of _changes, any number of times.' },
    expiresIn: { type: 'integer', description: 'Seconds.' },
  }),
  ...signInSchemas,
  _workspace: answer({ _id: idSchema, name: { type: 'string' }, role }),
  _member: answer({ _id: idSchema, email: { type: 'string' }, name: { type: 'string' }, role }),
  _workspacePage: page('_workspace'),
  _memberPage: page('_member'),
  _id: answer({ _id: { type: 'string' } }),
  _nothing: { type: 'object', additionalProperties: false },
  ...accountCallSchemas,
};

const calls: readonly Call[] = [
  {
    name: 'register',
    verb: 'post',
    path: '/register',
    summary: 'Makes an account and signs in',
    open: true,
    body: form({ email, password, 'name?': text(0, 200), 'profile?': schemaRef('_newProfile') }),
    status: 201,
    result: '_tokens',
    refusals: [409],
  },
  {
    name: 'login',
    verb: 'post',
    path: '/login',
    summary: 'Signs in',
    open: true,
    body: form({ email, password: text(1, passwordRule.most) }),
    result: '_signIn',
  },
  {
    name: 'refresh',
    verb: 'post',
    path: '/refresh',
    summary: 'New tokens for a refresh token, which is spent by it',
    open: true,
    body: form({ refreshToken: token }),
    result: '_tokens',
  },
  {
    name: 'logout',
    verb: 'post',
    path: '/logout',
    summary: 'Ends the session of a refresh token, and those that switch gave to the same sign-in',
    open: true,
    body: form({ refreshToken: token }),
    result: '_nothing',
  },
  { name: 'me', verb: 'get', path: '/me', summary: 'The user whose token it is', result: '_user' },
  {
    name: 'updateMe',
    verb: 'patch',
    path: '/me',
    summary: 'Changes the name, the profile, or, with currentPassword, the password',
    body: form({
      'name?': text(0, 200),
      'profile?': schemaRef('_profileChange'),
      'password?': password,
      'currentPassword?': text(1, passwordRule.most),
    }),
    result: '_user',
  },
  {
    name: 'workspaces',
    verb: 'get',
    path: '/workspaces',
    summary: 'The workspaces of the caller',
    paged: true,
    result: '_workspacePage',
  },
  {
    name: 'createWorkspace',
    verb: 'post',
    path: '/workspaces',
    summary: 'Makes a workspace, with its maker as owner',
    body: form({ name: text(1, 200) }),
    status: 201,
    result: '_workspace',
    refusals: [409],
  },
  {
    name: 'members',
    verb: 'get',
    path: '/workspaces/{id}/members',
    summary: 'The members of a workspace',
    paged: true,
    result: '_memberPage',
    refusals: [404],
  },
  {
    name: 'removeMember',
    verb: 'delete',
    path: '/workspaces/{id}/members/{user}',
    summary: 'Removes a member, or leaves',
    result: '_id',
    refusals: [404, 409],
  },
  {
    name: 'switch',
    verb: 'post',
    path: '/switch',
    summary: 'New tokens with another current workspace',
    body: form({ workspace: text(1, 200) }),
    result: '_tokens',
    refusals: [404, 409],
  },
  ...accountCalls,
  ...signInCalls,
  {
    name: 'ticket',
    verb: 'post',
    path: '/ticket',
    summary: 'A ticket for streams of changes, for what can send no header',
    result: '_streamTicket',
  },
];

/** Leaves out `register` if registration is closed. */
export function authOperations({
  registration,
  profile,
}: Pick<AuthSettings, 'registration' | 'profile'>): Described[] {
  const there = calls.filter(({ name }) => name !== 'register' || registration === 'open');
  const needed = 'required' in profileSchemas({ profile })._newProfile;
  return there.map((call) => {
    const operation = operationOf(call.name === 'register' && needed ? withProfile(call) : call);
    return { verb: call.verb, path: `/_auth${call.path}`, operation };
  });
}

/** Requires `profile`, as it has required fields. */
function withProfile(call: Call): Call {
  const required = [...((call.body?.required ?? []) as readonly string[]), 'profile'];
  return { ...call, body: { ...call.body, required } };
}

function operationOf(call: Call): JsonObject {
  const inPath = [...call.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const paging = ['_page', '_accountsPerPage'].map(parameterRef);
  const parameters = [...inPath, ...(call.paged ? paging : []), ...(call.parameters ?? [])];
  const withBody = call.body ? [413, 415] : [];
  return {
    operationId: `_auth.${call.name}`,
    summary: call.summary,
    tags: ['_auth'],
    security: call.open ? [] : security(false).slice(0, 1),
    ...(parameters.length > 0 && { parameters }),
    ...(call.body && {
      requestBody: { required: true, content: { 'application/json': { schema: call.body } } },
    }),
    responses: {
      ...(call.result === undefined
        ? { 302: { description: call.summary, headers: { Location: { schema: { type: 'string' } } } } }
        : { [call.status ?? 200]: success(call.summary, schemaRef(call.result)) }),
      ...refusalsOf(...withBody, ...(call.refusals ?? [])),
    },
  };
}
