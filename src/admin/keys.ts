import { v7 as uuidv7 } from 'uuid';
import { digest } from '../access/secret.ts';
import { makeServerKey } from '../access/server-key.ts';
import type { ProjectAccounts } from '../catalog/project.ts';
import { Failure } from '../failure.ts';
import { Form } from '../model/form.ts';
import { formatInstant, instantRule, parseInstant } from '../model/instant.ts';
import type { JsonObject } from '../model/json.ts';
import { pageJson, readPage } from '../query/page.ts';
import type { ServerKey } from '../store/accounts.ts';

export async function listKeys({ store }: ProjectAccounts, query: string): Promise<string> {
  const page = readPage(query);
  const { total, found } = await store.accounts.listKeys(page);
  return pageJson(page, total, found.map(keyResult));
}

/** The key itself is only in this response; only its digest is stored. */
export async function createKey(project: ProjectAccounts, body: JsonObject, now: number): Promise<string> {
  const form = new Form(body, ['name', 'access', 'expiresAt']);
  const made: ServerKey = {
    id: uuidv7(),
    name: form.text('name'),
    access: form.has('access') ? form.oneOf('access', ['read', 'write']) : 'write',
    expires: readExpiry(form, now),
    used: null,
    created: now,
  };
  form.done();
  const key = makeServerKey(project.id);
  await project.store.accounts.createKey(made, digest(key));
  return JSON.stringify({ ...keyResult(made), key });
}

export async function deleteKey({ store }: ProjectAccounts, id: string): Promise<string> {
  if (!(await store.accounts.deleteKey(id))) throw new Failure('absent', `There is no key '${id}'`);
  return JSON.stringify({ _id: id });
}

/** null, or omitted: the key does not expire. */
function readExpiry(form: Form, now: number): number | null {
  if (!form.given('expiresAt')) return null;
  const expires = parseInstant(form.text('expiresAt'));
  if (expires === undefined) form.fault('expiresAt', instantRule);
  else if (expires <= now) form.fault('expiresAt', 'must be in the future');
  return expires ?? null;
}

function keyResult({ id, name, access, expires, used, created }: ServerKey): object {
  return {
    _id: id,
    name,
    access,
    expiresAt: expires === null ? null : formatInstant(expires),
    lastUsedAt: used === null ? null : formatInstant(used),
    _createdAt: formatInstant(created),
  };
}
