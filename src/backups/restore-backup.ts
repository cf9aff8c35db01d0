import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { Authority } from '../access/authority.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { Failure } from '../failure.ts';
import type { BackupFacts, BackupFiles } from '../store/backup-files.ts';
import { defaultAuth, type ProjectRecord } from '../store/project-record.ts';
import type { Manifest } from './manifest.ts';
import type { BackupPlace } from './place.ts';

/** Copies a backup's file to this machine, and verifies its checksum. */
export async function fetchBackup(place: BackupPlace, manifest: Manifest, to: string): Promise<void> {
  const hash = createHash('sha256');
  const file = await open(to, 'w', 0o600);
  try {
    for await (const chunk of place.read({ project: manifest.project, id: manifest._id })) {
      hash.update(chunk);
      await file.appendFile(chunk); // all of it: a single write may end early when the disk gets full
    }
  } finally {
    await file.close();
  }
  if (hash.digest('hex') !== manifest.checksum) throw notWhatItWas(manifest);
}

function notWhatItWas({ _id, project }: Manifest): Failure {
  return new Failure(
    'conflict',
    `The backup ${_id} of project '${project}' can't be used: its file was changed or damaged, as its SHA-256 is not that of its manifest`,
  );
}

export interface Restoring {
  readonly as: string;
  readonly replace: boolean;
  /** The authority of whoever asked for it. */
  readonly authority?: Authority | undefined;
}

/** Creates a project from a verified file. */
export async function loadBackup(
  catalog: Catalog,
  files: BackupFiles,
  path: string,
  { project }: BackupFacts,
  { as, replace, authority, run }: Restoring & { readonly run: string },
  now: number,
): Promise<ProjectRecord> {
  const { name, created, changes } = project;
  const auth = { ...defaultAuth, ...project.auth };
  const record = { id: as, name, auth, created, updated: Math.max(now, created), changes };
  if (await catalog.loadProject(record, path, files, { replace, authority, run })) return record;
  throw replace ? noProject(as) : taken(as);
}

export function taken(as: string): Failure {
  return new Failure('conflict', [
    { at: 'as', message: `there is a project '${as}' already: name another, or send "replace": true` },
  ]);
}

export function noProject(as: string): Failure {
  return new Failure('absent', `There is no project '${as}' to replace: leave replace out to make it`);
}
