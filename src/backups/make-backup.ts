import type { Catalog } from '../catalog/catalog.ts';
import { Failure } from '../failure.ts';
import type { BackupFiles } from '../store/backup-files.ts';
import { type Manifest, manifestOf, type Occasion } from './manifest.ts';
import type { BackupName, BackupPlace } from './place.ts';

export interface BackupTools {
  readonly catalog: Catalog;
  readonly place: BackupPlace;
  /** Makes backup files outside of the thread that serves requests, until closed. */
  readonly openFiles: () => BackupFiles;
  readonly now: () => number;
  /** The version of Vitrine. */
  readonly vitrine: string;
}

/** Why a backup is made, and by which run. */
export interface Making {
  readonly occasion: Occasion;
  readonly run: string;
}

/** Makes a backup, which becomes valid only after all of it was read again. Remains of a failed one are removed. */
export async function makeBackup(
  { catalog, place, now, vitrine }: BackupTools,
  files: BackupFiles,
  name: BackupName,
  { occasion, run }: Making,
): Promise<Manifest> {
  const draft = await place.draft(name);
  try {
    const made = now();
    await catalog.saveProject(name.project, draft, files);
    // Not before: settings know the profiles that were written by earlier ones, and not those by later ones.
    const project = await catalog.requireProject(name.project);
    const facts = await files.finish(draft, { id: name.id, project, made, vitrine });
    const manifest = manifestOf(facts, occasion, now());
    // If this run was taken for dead, another process may have removed the file.
    await place.keep(manifest, async () => {
      if (!(await catalog.backupRuns.beat(run))) throw givenUp();
    });
    return manifest;
  } catch (error) {
    await place.discard(name);
    throw error;
  }
}

const givenUp = () =>
  new Failure('unavailable', 'The backup stood still for so long that it was given up: ask again', {
    retryAfter: 60,
  });
