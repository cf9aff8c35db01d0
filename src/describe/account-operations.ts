import { passwordRule } from '../access/password.ts';
import { idSchema } from '../model/fields/relation.ts';
import type { JsonObject } from '../model/json.ts';
import { answer, type Call, email, form, page, password, role, text, token } from './auth-forms.ts';

/** Calls of users about their address, password and sessions, workspaces and invitations. */

const instant = { type: 'string', format: 'date-time' };
const currentPassword = text(1, passwordRule.most);

export const accountCallSchemas: Readonly<Record<string, JsonObject>> = {
  _session: answer({
    _id: idSchema,
    _createdAt: instant,
    lastUsedAt: instant,
    address: { type: 'string', description: 'Of the network, where it was last used to get tokens.' },
    userAgent: { type: 'string' },
    current: { type: 'boolean', description: 'Whether it is the one that asks.' },
  }),
  _sessionPage: page('_session'),
  _invitation: answer({
    _id: idSchema,
    email: { type: 'string' },
    role,
    workspace: answer({ _id: idSchema, name: { type: 'string' } }),
    _createdAt: instant,
    expiresAt: instant,
    'token?': { type: 'string', description: 'Once, where the server sends no mail: pass it on.' },
  }),
  _invitationPage: page('_invitation'),
};

const confirm = {
  name: 'confirm',
  in: 'query',
  description: 'Also where there are records in it, which are deleted.',
  schema: { type: 'string', const: 'destructive' },
};

export const accountCalls: readonly Call[] = [
  {
    ...{ name: 'deleteMe', verb: 'post', path: '/me/delete', result: '_nothing', refusals: [409] },
    summary: 'Deletes the account of the caller',
    body: form({ 'currentPassword?': currentPassword }),
  },
  {
    ...{ name: 'forgot', verb: 'post', path: '/forgot', open: true, result: '_nothing', refusals: [501] },
    summary: 'Mails a token for a new password; the same answer for every address',
    body: form({ email }),
  },
  {
    ...{ name: 'reset', verb: 'post', path: '/reset', open: true, result: '_nothing' },
    summary: 'Sets a new password, which ends every session',
    body: form({ token, password }),
  },
  {
    ...{ name: 'sendVerification', verb: 'post', path: '/verify/send', result: '_nothing' },
    summary: 'Mails a token that verifies the address',
    refusals: [501],
  },
  {
    ...{ name: 'verify', verb: 'post', path: '/verify', open: true, result: '_nothing' },
    summary: 'Verifies the address to which the token was mailed',
    body: form({ token }),
  },
  {
    ...{ name: 'rejectAddress', verb: 'post', path: '/verify/reject', open: true, result: '_nothing' },
    summary: 'Says that somebody else made the account with this address: its password and sessions end',
    body: form({ token }),
  },
  {
    ...{ name: 'changeEmail', verb: 'post', path: '/email', result: '_nothing', refusals: [501] },
    summary: 'Asks for another address, in force once it is confirmed',
    body: form({ email, 'currentPassword?': currentPassword }),
  },
  {
    ...{ name: 'confirmEmail', verb: 'post', path: '/email/confirm', open: true, result: '_nothing' },
    summary: 'Confirms the new address',
    body: form({ token }),
    refusals: [409],
  },
  {
    ...{ name: 'sessions', verb: 'get', path: '/sessions', paged: true, result: '_sessionPage' },
    summary: 'The sessions of the caller',
  },
  {
    ...{ name: 'endOtherSessions', verb: 'delete', path: '/sessions', result: '_nothing' },
    summary: 'Ends all sessions but this one',
  },
  {
    ...{ name: 'endSession', verb: 'delete', path: '/sessions/{id}', result: '_id', refusals: [404] },
    summary: 'Ends a session',
  },
  {
    ...{ name: 'renameWorkspace', verb: 'patch', path: '/workspaces/{id}', result: '_workspace' },
    summary: 'Renames a workspace, as one of its owners',
    body: form({ name: text(1, 200) }),
    refusals: [404],
  },
  {
    ...{ name: 'deleteWorkspace', verb: 'delete', path: '/workspaces/{id}', result: '_id' },
    summary: 'Deletes a workspace, as one of its owners',
    parameters: [confirm],
    refusals: [404, 409],
  },
  {
    ...{ name: 'setRole', verb: 'patch', path: '/workspaces/{id}/members/{user}', result: '_member' },
    summary: 'Changes the role of a member',
    body: form({ role }),
    refusals: [404, 409],
  },
  {
    ...{ name: 'invitationsOf', verb: 'get', path: '/workspaces/{id}/invitations', paged: true },
    summary: 'The invitations to a workspace, for its owners',
    result: '_invitationPage',
    refusals: [404],
  },
  {
    ...{ name: 'invite', verb: 'post', path: '/workspaces/{id}/invitations', status: 201 },
    summary: 'Invites an address, registered or not',
    body: form({ email, 'role?': role }),
    result: '_invitation',
    refusals: [404, 409],
  },
  {
    ...{ name: 'withdraw', verb: 'delete', path: '/workspaces/{id}/invitations/{invitation}' },
    summary: 'Withdraws an invitation',
    result: '_id',
    refusals: [404],
  },
  {
    ...{ name: 'invitations', verb: 'get', path: '/invitations', paged: true, result: '_invitationPage' },
    summary: 'The invitations for the address of the caller',
  },
  {
    ...{ name: 'accept', verb: 'post', path: '/invitations/{id}/accept', result: '_workspace' },
    summary: 'Joins the workspace',
    body: form({ 'token?': token }),
    refusals: [404],
  },
  {
    ...{ name: 'decline', verb: 'post', path: '/invitations/{id}/decline', result: '_nothing' },
    summary: 'Declines an invitation',
    refusals: [404],
  },
];
