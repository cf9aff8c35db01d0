import { isDeepStrictEqual } from 'node:util';
import type { Catalog } from '../catalog/catalog.ts';
import { Failure, issuesWithin } from '../failure.ts';
import { Form } from '../model/form.ts';
import { formatInstant } from '../model/instant.ts';
import type { JsonObject } from '../model/json.ts';
import { readMailSettings } from '../model/mail-settings.ts';
import { idPattern, idRule } from '../model/names.ts';
import { readProfile, readStoredProfile, withoutRenames, writeProfile } from '../model/profile.ts';
import { readProviders, readRedirects, shownProviders } from '../model/provider-settings.ts';
import { readOptions } from '../query/options.ts';
import { pageJson, readPage } from '../query/page.ts';
import {
  type AuthSettings,
  type ChangesSettings,
  defaultAuth,
  defaultChanges,
  type FormerProfile,
  type ProjectChange,
  type ProjectRecord,
} from '../store/project-record.ts';
import { StaleProfile } from '../store/schema.ts';
import { changeProfiles, hasSameProfile } from './change-profile.ts';

/** Each attempt uses the newest definitions, so a second is hardly ever needed. */
const mostAttempts = 20;
/** Former definitions that are kept. All profiles are rewritten after each change; only concurrent requests still use these. */
const mostFormer = 5;

export async function listProjects(catalog: Catalog, query: string): Promise<string> {
  const page = readPage(query);
  const { total, found } = await catalog.listProjects(page);
  return pageJson(page, total, found.map(projectResult));
}

export async function viewProject(catalog: Catalog, id: string): Promise<string> {
  return JSON.stringify(projectResult(await catalog.requireProject(id)));
}

export async function createProject(catalog: Catalog, body: JsonObject): Promise<string> {
  const form = new Form(body, ['id', 'name', 'auth', 'changes']);
  const id = form.text('id', { most: 63 });
  if (id !== '' && !idPattern.test(id)) form.fault('id', idRule);
  const name = form.has('name') ? form.text('name') : id;
  const auth = form.has('auth') ? readAuth(form, defaultAuth) : defaultAuth;
  const changes = form.has('changes') ? readChanges(form) : undefined;
  form.done();
  return JSON.stringify(projectResult(await catalog.createProject(id, name, auth, changes)));
}

export async function updateProject(
  catalog: Catalog,
  id: string,
  body: JsonObject,
  query: string,
): Promise<string> {
  const { confirmed } = readOptions(query, ['confirm']);
  for (let attempts = 1; attempts <= mostAttempts; attempts++) {
    try {
      return JSON.stringify(projectResult(await update(catalog, id, body, confirmed)));
    } catch (error) {
      if (!(error instanceof StaleProfile)) throw error;
    }
  }
  throw new Failure('unavailable', `The project '${id}' was changed meanwhile: try again`, { retryAfter: 1 });
}

/** New profile definitions are checked against those they replace; throws StaleProfile if these have changed meanwhile. */
async function update(
  catalog: Catalog,
  id: string,
  body: JsonObject,
  confirmed: boolean,
): Promise<ProjectRecord> {
  const { auth: before } = await catalog.requireProject(id);
  const { auth } = readChange(body, before);
  const profile = auth && (body.auth as JsonObject).profile;
  if (!auth || profile === undefined) return catalog.updateProject(id, (now) => readChange(body, now.auth));
  const known = before.formerProfiles ?? [];
  const save = (former: readonly FormerProfile[]) =>
    catalog.updateProject(id, (now) => {
      if (!hasSameProfile(before, now.auth)) throw new StaleProfile();
      const change = readChange(body, now.auth);
      if (!change.auth || former === known) return change;
      return { ...change, auth: { ...change.auth, formerProfiles: former } };
    });
  if (isDeepStrictEqual(auth.profile, before.profile)) return save(known);
  const { to, renames } = readProfile(profile, readStoredProfile(before.profile));
  const former = [...known, { profile: before.profile, renames: Object.fromEntries(renames) }];
  return catalog.useAccounts(id, (project) =>
    changeProfiles(
      project,
      { before, to, renames },
      confirmed,
      () => save(former.slice(-mostFormer)),
      () => catalog.requireProject(id),
    ),
  );
}

/** Reads the body of a change to the current settings. */
function readChange(body: JsonObject, current: AuthSettings): ProjectChange {
  const form = new Form(body, ['name', 'auth', 'changes']);
  const change = {
    ...(form.has('name') && { name: form.text('name') }),
    ...(form.has('auth') && { auth: readAuth(form, current) }),
    ...(form.has('changes') && { changes: readChanges(form) }),
  };
  form.done();
  return change;
}

export async function deleteProject(catalog: Catalog, id: string, query: string): Promise<string> {
  await catalog.deleteProject(id, readOptions(query, ['confirm']).confirmed);
  return JSON.stringify({ id });
}

/** Omitted settings stay as they are. `file`: read offline, so that former fields and stored secrets are not known yet. */
export function readAuth(
  form: Form,
  current: AuthSettings,
  of: 'project' | 'file' = 'project',
): AuthSettings {
  const part = form.object('auth', Object.keys(defaultAuth));
  const auth: AuthSettings = {
    registration: part.has('registration')
      ? part.oneOf('registration', ['open', 'closed'])
      : current.registration,
    accessTokenMinutes: part.has('accessTokenMinutes')
      ? part.wholeNumber('accessTokenMinutes', 1, 24 * 60)
      : current.accessTokenMinutes,
    refreshTokenDays: part.has('refreshTokenDays')
      ? part.wholeNumber('refreshTokenDays', 1, 365)
      : current.refreshTokenDays,
    profile: part.has('profile') ? writeProfile(profileIn(part, current, of).to) : current.profile,
    onUserDelete: part.has('onUserDelete')
      ? part.oneOf('onUserDelete', ['keep', 'delete'])
      : current.onUserDelete,
    mail: part.has('mail') ? readMailSettings(part, 'mail') : current.mail,
    providers: part.has('providers') ? readProviders(part, current.providers, of) : current.providers,
    redirects: part.has('redirects') ? readRedirects(part) : current.redirects,
    totp: part.has('totp') ? part.oneOf('totp', ['optional', 'required']) : current.totp,
    ...(current.formerProfiles && { formerProfiles: current.formerProfiles }),
  };
  form.merge(part, 'auth');
  return auth;
}

export function readChanges(form: Form): ChangesSettings {
  const part = form.object('changes', Object.keys(defaultChanges));
  const changes = { days: part.wholeNumber('days', 1, 365) };
  form.merge(part, 'changes');
  return changes;
}

/** Errors are noted in the form. */
function profileIn(
  part: Form,
  { profile }: AuthSettings,
  of: 'project' | 'file',
): ReturnType<typeof readProfile> {
  const from = readStoredProfile(profile);
  try {
    const given = part.json('profile');
    return readProfile(of === 'file' ? withoutRenames(given) : given, from);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    for (const { at, message } of issuesWithin('profile', error)) part.fault(at, message);
    return { to: from, renames: new Map() };
  }
}

export function projectResult(project: ProjectRecord): object {
  const { id, name, created, updated, changes = defaultChanges } = project;
  const { formerProfiles: _, ...settings } = project.auth;
  const auth = { ...settings, providers: shownProviders(settings.providers) };
  return { id, name, auth, changes, _createdAt: formatInstant(created), _updatedAt: formatInstant(updated) };
}
