import type { Authority } from '../../../../access/authority.ts';
import type { Accounts } from '../../../accounts.ts';
import type { ChangeAnswer, ChangePlan, DefinePlan, DropPlan } from '../../../schema-plans.ts';
import type { Webhooks } from '../../../webhooks.ts';
import type { BatchAnswer, BatchPlan, DeletePlan, InsertPlan, UpdatePlan } from '../../../write-plans.ts';

interface Call<Plan, Answer> {
  plan: Plan;
  answer: Answer;
}

/** Every kind of write as plain data: what the writer, in this or another thread or process, is sent and what it returns. */
export interface WriteCalls {
  insert: Call<InsertPlan, string>;
  update: Call<UpdatePlan, string | undefined>;
  delete: Call<DeletePlan, boolean>;
  batch: Call<BatchPlan, BatchAnswer>;
  account: Call<AccountCall, unknown>;
  webhook: Call<WebhookCall, unknown>;
  createCollection: Call<DefinePlan, void>;
  changeCollection: Call<ChangePlan, ChangeAnswer>;
  deleteCollection: Call<DropPlan, void>;
  forgetChanges: Call<{ readonly before: number }, number | undefined>;
}
export type WriteKind = keyof WriteCalls;

/** The calls of Accounts that write. */
export const accountWrites = [
  'openSession',
  'exchange',
  'endSession',
  'beginFactor',
  'beginTry',
  'settleTry',
  'confirmFactor',
  'removeFactor',
  'openImpersonation',
  'endImpersonations',
  'addIdentity',
  'removeIdentity',
  'saveStep',
  'spendStep',
  'createUser',
  'updateUser',
  'replaceProfiles',
  'deleteUser',
  'createWorkspace',
  'renameWorkspace',
  'deleteWorkspace',
  'addMember',
  'removeMember',
  'noteKeyUse',
  'endSessionOf',
  'endOtherSessions',
  'setRole',
  'endDeparture',
  'invite',
  'withdrawInvitation',
  'offerInvitation',
  'acceptInvitation',
  'declineInvitation',
  'queueMails',
  'tryMail',
  'removeMail',
  'addMailToken',
  'resetPassword',
  'verifyAddress',
  'rejectAddress',
  'changeAddress',
  'createKey',
  'deleteKey',
] as const satisfies readonly (keyof Accounts)[];

export type AccountCall = NamedCall<(typeof accountWrites)[number]>;

/** The calls of Webhooks that write. */
export const webhookWrites = [
  'create',
  'update',
  'rewind',
  'delete',
  'take',
  'settle',
] as const satisfies readonly (keyof Webhooks)[];

export type WebhookCall = NamedCall<(typeof webhookWrites)[number]>;

interface NamedCall<Name extends string> {
  readonly call: Name;
  readonly args: readonly unknown[];
  readonly authority?: Authority | undefined;
}
