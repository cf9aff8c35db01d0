import type { Authority } from '../access/authority.ts';
import type { Started } from '../backups/backup-work.ts';
import type { Backups, KnownBackup } from '../backups/backups.ts';
import { noBackup } from '../backups/backups.ts';
import type { Manifest } from '../backups/manifest.ts';
import { Form } from '../model/form.ts';
import { formatInstant } from '../model/instant.ts';
import type { JsonObject } from '../model/json.ts';
import { idPattern, idRule } from '../model/names.ts';
import { pageJson, readPageWith } from '../query/page.ts';
import type { BackupRun } from '../store/backup-runs.ts';
import { projectResult } from './projects.ts';

/** Milliseconds after which the response is 202, and the work goes on. */
const longestWait = 30_000;

/** 202: still under way. */
export interface BackupAnswer {
  readonly status: 201 | 202;
  readonly result: string;
}

export async function createBackup(
  backups: Backups,
  project: string,
  authority?: Authority,
): Promise<BackupAnswer> {
  const started = await backups.start(project, 'request', authority);
  return answered(backups, started, started.id, manifestResult);
}

export async function restoreBackup(
  backups: Backups,
  id: string,
  body: JsonObject,
  authority?: Authority,
): Promise<BackupAnswer> {
  const form = new Form(body, ['as', 'replace']);
  const as = form.text('as', { most: 63 });
  if (as !== '' && !idPattern.test(as)) form.fault('as', idRule);
  const replace = form.has('replace') && form.flag('replace');
  form.done();
  const started = await backups.startRestore(id, { as, replace, authority });
  return answered(backups, started, id, projectResult);
}

async function answered<T>(
  backups: Backups,
  { done }: Started<T>,
  id: string,
  resultOf: (made: T) => object,
): Promise<BackupAnswer> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, longestWait, undefined);
  const made = await Promise.race([done.then((value) => ({ value })), late]).finally(() =>
    clearTimeout(timer),
  );
  if (made) return { status: 201, result: JSON.stringify(resultOf(made.value)) };
  return { status: 202, result: await viewBackup(backups, id) };
}

export async function listBackups(backups: Backups, query: string): Promise<string> {
  const page = readPageWith(query, ['project']);
  const all = await backups.list(page.given.project);
  const wanted = all.slice(page.offset, page.offset + page.limit);
  const found = await Promise.all(
    wanted.map(async (name) => {
      if (name.run) return runResult(name.run);
      const manifest = await backups.manifestOf(name);
      return manifest && manifestResult(manifest);
    }),
  );
  return pageJson(
    page,
    all.length,
    found.filter((one) => one !== undefined), // removed just now
  );
}

export async function viewBackup(backups: Backups, id: string): Promise<string> {
  const found = await backups.find(id);
  if (!found) throw noBackup(id);
  return JSON.stringify(knownResult(found));
}

function knownResult(found: KnownBackup): object {
  if (found.kind === 'run') return runResult(found.run);
  const { manifest, restore } = found;
  if (!restore) return manifestResult(manifest);
  const { project: as, status, error } = restore;
  return { ...manifestResult(manifest), restore: { as, status, ...(error !== null && { error }) } };
}

function manifestResult({ _id, project, _createdAt, bytes, records, checksum }: Manifest): object {
  return { _id, project, _createdAt, status: 'done', bytes, records, checksum };
}

function runResult({ id, project, started, status, error }: BackupRun): object {
  const why = error === null ? {} : { error };
  return { _id: id, project, _createdAt: formatInstant(started), status, ...why };
}
