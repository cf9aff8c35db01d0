import type { Catalog } from '../catalog/catalog.ts';
import { Failure } from '../failure.ts';
import type { BackupFiles } from '../store/backup-files.ts';
import { type Manifest, manifestOf, type Occasion } from './manifest.ts';
import type { BackupName, BackupPlace } from './place.ts';

/** What backups are made with. */
export interface BackupTools {
  readonly catalog: Catalog;
  readonly place: BackupPlace;
  /** Beside the thread that serves, until they are closed. */
  readonly openFiles: () => BackupFiles;
  readonly now: () => number;
  /** The version of Vitrine. */
  readonly vitrine: string;
}

/** Why one is made, and by which run. */
export interface Making {
  readonly occasion: Occasion;
  readonly run: string;
}

/** Makes one, reads all of it again, and only then is it one. What is left of one that failed is removed. */
export async function makeBackup(
  { catalog, place, now, vitrine }: BackupTools,
  files: BackupFiles,
  name: BackupName,
  { occasion, run }: Making,
): Promise<Manifest> {
  const project = await catalog.requireProject(name.project);
  const draft = await place.draft(name);
  try {
    const made = now();
    await catalog.saveProject(name.project, draft, files);
    const facts = await files.finish(draft, { id: name.id, project, made, vitrine });
    const manifest = manifestOf(facts, occasion, now());
    // Of a run that was taken for dead another process may have removed the file.
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
