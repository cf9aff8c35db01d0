import { type Caller, isReader, nobody } from '../access/caller.ts';
import { findMethodScope, type Scope } from '../access/scope.ts';
import type { Project } from '../catalog/project.ts';
import { Failure } from '../failure.ts';
import {
  type Collection,
  type Level,
  type Method,
  methodEnabled,
  methodLevel,
  methods,
} from '../model/collection.ts';
import { Form } from '../model/form.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import type { ServerKey } from '../store/accounts.ts';
import { listPlan } from '../store/plans.ts';
import type { AuthSettings } from '../store/project-record.ts';
import { joinedText } from '../store/record-texts.ts';
import type { StoredCollection } from '../store/schema.ts';

interface Explanation {
  readonly allowed: boolean;
  /** The status that the request would get. */
  readonly status: number;
  readonly reasons: readonly string[];
}

interface Question {
  readonly method: Method;
  readonly collection: string;
  readonly id: string | undefined;
}

/** The caller as the next request would identify them, and why. */
interface Subject {
  /** A number: the status with which all of their tokens are refused. */
  readonly caller: Caller | 401 | 403;
  readonly reasons: readonly string[];
}

/** POST /v1/_admin/projects/:project/explain: what a caller would get, decided by the same code as real requests. */
export async function explain(
  project: Project,
  settings: AuthSettings,
  body: JsonObject,
  now: number,
): Promise<string> {
  const form = new Form(body, ['caller', 'collection', '_id', 'method']);
  const question = {
    method: form.oneOf('method', methods),
    collection: form.text('collection'),
    id: form.has('_id') ? form.text('_id') : undefined,
  };
  const subject = await readSubject(project, settings, form, body, now);
  form.done();
  return JSON.stringify(await answer(project, question, subject));
}

async function readSubject(
  project: Project,
  settings: AuthSettings,
  form: Form,
  { caller }: JsonObject,
  now: number,
): Promise<Subject> {
  if (caller === 'nobody') return { caller: nobody, reasons: ['The caller sends no token.'] };
  const part = isJsonObject(caller) ? form.object('caller', ['user', 'workspace', 'key']) : undefined;
  if (!part || part.has('key') === part.has('user')) {
    form.fault('caller', 'must be \'nobody\', {"user": …, "workspace": …} or {"key": …}');
    return { caller: nobody, reasons: [] };
  }
  const [key, user] = part.has('key') ? [part.text('key'), undefined] : [undefined, part.text('user')];
  const workspace = part.has('workspace') ? part.text('workspace') : undefined;
  if (key !== undefined && workspace !== undefined)
    part.fault('workspace', 'goes with a user, not with a key');
  form.merge(part, 'caller');
  form.done();
  if (key !== undefined) return keySubject(project, key, now);
  return userSubject(project, settings, user ?? '', workspace);
}

async function keySubject({ store }: Project, key: string, now: number): Promise<Subject> {
  const { found } = await store.accounts.listKeys({ limit: 1000, offset: 0 });
  const known = found.find(({ id }) => id === key);
  if (!known) throw new Failure('invalid', [{ at: 'caller.key', message: `there is no key '${key}'` }]);
  if (known.expires !== null && known.expires <= now) {
    return { caller: 401, reasons: [`The server key '${known.name}' has expired: it is refused.`] };
  }
  return { caller: { kind: 'key', key, access: known.access }, reasons: [keyReason(known)] };
}

function keyReason({ name, access }: ServerKey): string {
  return access === 'write'
    ? `The caller is the server key '${name}', which passes every level.`
    : `The caller is the server key '${name}', which passes every level and may only read.`;
}

async function userSubject(
  { store }: Project,
  { totp }: AuthSettings,
  id: string,
  asked: string | undefined,
): Promise<Subject> {
  const { accounts } = store;
  const user = await accounts.findUser(id);
  if (!user) throw new Failure('invalid', [{ at: 'caller.user', message: `there is no user '${id}'` }]);
  if (user.disabled) {
    return { caller: 401, reasons: [`${user.email} is disabled: every token of theirs is refused.`] };
  }
  if (totp === 'required' && !(await accounts.hasFactor(id))) {
    const reason = `The project requires a second factor, and ${user.email} has none: their tokens are good for setting one up alone.`;
    return { caller: 403, reasons: [reason] };
  }
  const chosen = asked ?? (await accounts.firstWorkspaceOf(id));
  const member = chosen !== null && (await accounts.findRole(chosen, id)) !== undefined;
  const workspace = member ? chosen : null;
  return {
    caller: { kind: 'user', user: id, workspace, session: '' },
    reasons: [`The caller is the user ${user.email}.`, workspaceReason(chosen, member)],
  };
}

function workspaceReason(workspace: string | null, member: boolean): string {
  if (workspace === null) return 'They are a member of no workspace, so they have no current one.';
  return member
    ? `Their current workspace is ${workspace}.`
    : `They are not a member of the workspace ${workspace}, so they have no current one.`;
}

async function answer(project: Project, question: Question, subject: Subject): Promise<Explanation> {
  const { method } = question;
  const collection = project.schema.collections.get(question.collection);
  if (!collection) {
    return no(404, [`There is no collection '${question.collection}' in ${project.id}.`]);
  }
  const { definition } = collection;
  if (!methodEnabled(definition, method)) {
    return no(404, [
      `The method ${method} is switched off for ${definition.id}: it is a 404 for everybody but the administrator.`,
    ]);
  }
  const reasons = [`The method ${method} is switched on for ${definition.id}.`, ...subject.reasons];
  const { caller } = subject;
  if (typeof caller === 'number') return no(caller, reasons);
  if (method === 'batch') return answerBatch(caller, definition, reasons);
  const level = methodLevel(definition, method);
  const scope = findMethodScope(caller, definition, method);
  reasons.push(levelReason(level, method));
  if (!scope) return caller.kind === 'nobody' ? no(401, reasons) : no(403, reasons);
  return withRecord(project, collection, question, scope, reasons);
}

/** A batch is allowed if the caller may use at least one of its operations. */
function answerBatch(caller: Caller, definition: Collection, reasons: readonly string[]): Explanation {
  const parts = (['create', 'update', 'delete'] as const).filter((part) => methodEnabled(definition, part));
  const rule = 'Each operation of a batch needs what create, update or delete needs.';
  if (parts.length === 0) return no(404, [...reasons, `${rule} All of them are switched off.`]);
  if (isReader(caller)) return no(403, [...reasons, rule]);
  if (parts.some((part) => findMethodScope(caller, definition, part))) return yes(200, [...reasons, rule]);
  const levels = parts.map((part) => levelReason(methodLevel(definition, part), part));
  return no(caller.kind === 'nobody' ? 401 : 403, [...reasons, rule, ...levels]);
}

function levelReason(level: Level, method: Method): string {
  switch (level) {
    case 'public':
      return `The level of ${method} is public: it is for every caller and every record.`;
    case 'user':
      return `The level of ${method} is user: it needs a token, and a user reaches the records they own.`;
    case 'workspace':
      return `The level of ${method} is workspace: it needs a token, and a user reaches the records of their current workspace.`;
  }
}

/** Methods that return or write the one record that the path names. */
const ofOneRecord: ReadonlySet<Method> = new Set(['view', 'update', 'delete']);

async function withRecord(
  project: Project,
  collection: StoredCollection,
  { method, id }: Question,
  scope: Scope,
  reasons: readonly string[],
): Promise<Explanation> {
  if (method === 'create') return yes(201, reasons);
  if (id === undefined) return yes(200, reasons);
  const holder = await findHolder(project, collection, id);
  const all = [...reasons, recordReason(id, holder, scope)];
  if (holder && isWithin(scope, holder)) return yes(200, all);
  return ofOneRecord.has(method) ? no(404, all) : no(200, all);
}

interface Holder {
  readonly _owner: string | null;
  readonly _workspace: string | null;
}

async function findHolder(
  { store }: Project,
  collection: StoredCollection,
  id: string,
): Promise<Holder | undefined> {
  const { found } = await store.list(
    listPlan({
      collection: collection.ref,
      where: {
        scope: { kind: 'all' },
        conditions: [{ kind: 'oneOf', name: '_id', values: [id] }],
        search: [],
      },
      sort: [{ name: '_createdAt', descending: false }],
      limit: 1,
      offset: 0,
      include: [],
      extra: ['_owner', '_workspace'],
    }),
  );
  const json = joinedText(found);
  return json === '' ? undefined : (JSON.parse(json) as Holder);
}

function isWithin(scope: Scope, { _owner, _workspace }: Holder): boolean {
  switch (scope.kind) {
    case 'all':
      return true;
    case 'owner':
      return _owner === scope.owner;
    case 'workspace':
      return _workspace === scope.workspace;
  }
}

function recordReason(id: string, holder: Holder | undefined, scope: Scope): string {
  if (!holder) return `There is no record '${id}'.`;
  const fits = isWithin(scope, holder);
  switch (scope.kind) {
    case 'all':
      return `There is a record '${id}'.`;
    case 'owner':
      return `The _owner of the record is ${holder._owner ?? 'nobody'}, ${fits ? 'which is' : 'not'} the caller.`;
    case 'workspace':
      return `The _workspace of the record is ${holder._workspace ?? 'none'}, ${fits ? 'which is' : 'not'} the caller's current one.`;
  }
}

function yes(status: number, reasons: readonly string[]): Explanation {
  return { allowed: true, status, reasons };
}

function no(status: number, reasons: readonly string[]): Explanation {
  return { allowed: false, status, reasons };
}
