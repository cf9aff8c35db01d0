import { ProjectGone } from '../../../schema.ts';
import { translated } from '../../../translated.ts';
import type { SqliteDriver } from '../connection/driver.ts';
import { isTrouble, translate } from '../connection/faults.ts';
import { type FileSystem, fileSystem } from '../connection/file-system.ts';
import { PathQueues } from '../connection/path-queues.ts';
import type { Checkpoints } from './checkpoints.ts';
import { openProjectFile } from './open-project-file.ts';
import {
  draftOf,
  findDrafts,
  placeDraft,
  removeEarlierDrafts,
  removeFiles,
  replaceFile,
} from './project-files.ts';
import { ProjectWriter } from './project-writer.ts';
import { keepRemovalsOf, makeFile, restoreFile } from './restore-file.ts';
import type { ProjectWrites, Writers } from './writers.ts';

interface OpenFile {
  readonly writer: ProjectWriter;
  users: number;
}

interface Seal {
  readonly token: string;
  readonly file: OpenFile;
  readonly over: PromiseWithResolvers<void>;
}

/**
 * The writers of all projects in this thread. Those who open the same file share its writer. `checkpoints`: copies the logs in
 * another thread.
 */
export function localWriters(
  driver: SqliteDriver,
  system: FileSystem = fileSystem,
  checkpoints?: Checkpoints,
): Writers {
  const files = new Map<string, OpenFile>();
  /** Files that nobody may write to for now, as their projects are about to be deleted. */
  const sealed = new Map<string, Seal>();
  /** The writers of files that are open or being closed. */
  const writing = new Set<ProjectWriter>();
  /** Tokens of drafts that are in use, and of files that were removed. */
  const drafts = new Set<string>();
  const removed = new Set<string>();
  const queues = new PathQueues();
  const inTurn = <T>(path: string, work: () => Promise<T>) => queues.run(path, work);

  async function openWriter(path: string): Promise<OpenFile> {
    const known = files.get(path);
    if (known) return known;
    const db = await openProjectFile(driver, path);
    const file = { writer: new ProjectWriter(db, checkpoints?.open(path)), users: 0 };
    writing.add(file.writer);
    files.set(path, file);
    return file;
  }

  async function release(path: string, file: OpenFile): Promise<void> {
    file.users -= 1;
    if (file.users > 0 || files.get(path) !== file) return;
    files.delete(path);
    await file.writer.close().finally(() => writing.delete(file.writer));
  }

  async function use(path: string): Promise<ProjectWrites> {
    // Another process has deleted the project since it was looked up: opening the file would create it again, empty.
    if (!files.has(path) && !system.exists(path)) throw new ProjectGone();
    const file = await openWriter(path);
    file.users += 1;
    let open = true;
    return {
      perform: (kind, plan, progress) => file.writer.perform(kind, plan, progress),
      watch: (changed) => file.writer.watch(changed),
      load: (plan) => file.writer.load(plan),
      close: () =>
        inTurn(path, async () => {
          if (open) await release(path, file);
          open = false;
        }),
    };
  }

  /** Tells everybody who has the file open that it is gone. If it can't be opened, nobody has it open. */
  async function end(path: string): Promise<void> {
    try {
      const { writer } = await openWriter(path);
      endSeal(path);
      files.delete(path);
      await writer.end().finally(() => writing.delete(writer));
    } catch (error) {
      if (isTrouble(error)) throw error;
    }
  }

  async function sealFile(path: string, token: string): Promise<number> {
    if (!files.has(path) && !system.exists(path)) return 0; // deleted just now
    const file = await openWriter(path);
    file.users += 1;
    let isSealed = false;
    try {
      const records = await file.writer.seal();
      isSealed = records === 0;
      if (isSealed) sealed.set(path, { token, file, over: Promise.withResolvers() });
      return records;
    } finally {
      if (!isSealed) await release(path, file);
    }
  }

  function endSeal(path: string): OpenFile | undefined {
    const seal = sealed.get(path);
    sealed.delete(path);
    seal?.over.resolve();
    return seal?.file;
  }

  async function makeDraft(path: string, token: string, make: (draft: string) => Promise<void>) {
    drafts.add(token);
    await make(draftOf(path, token));
  }

  function discard(path: string, token: string): void {
    removeFiles(system, draftOf(path, token));
    drafts.delete(token);
  }

  const calls: Writers = {
    draft: (path, token) => makeDraft(path, token, (draft) => makeFile(driver, system, draft)),
    restore: (path, token, dump, check) =>
      makeDraft(path, token, (draft) => restoreFile(driver, system, draft, dump, check)),
    place: (path, token) =>
      inTurn(path, async () => {
        // The file was opened by somebody who does not know yet that the previous project was deleted.
        if (files.has(path) && system.exists(draftOf(path, token))) await end(path);
        placeDraft(system, path, token);
        drafts.delete(token);
      }),
    replace: (path, token) =>
      inTurn(path, async () => {
        const draft = draftOf(path, token);
        if (system.exists(draft) && system.exists(path)) {
          await end(path);
          await keepRemovalsOf(driver, path, draft);
        }
        replaceFile(system, path, token);
        drafts.delete(token);
      }),
    discard: async (path, token) => discard(path, token),
    async seal(path, token) {
      for (;;) {
        await sealed.get(path)?.over.promise; // sealed by somebody else, who may or may not delete the project
        const records = await inTurn(path, async () =>
          sealed.has(path) ? undefined : sealFile(path, token),
        );
        if (records !== undefined) return records;
      }
    },
    unseal: (path, token) =>
      inTurn(path, async () => {
        if (sealed.get(path)?.token !== token) return;
        const file = endSeal(path);
        if (!file) return;
        await file.writer.unseal();
        await release(path, file);
      }),
    remove: (path, token) =>
      inTurn(path, async () => {
        if (removed.has(token)) return; // another project may have the name by now
        if (system.exists(path)) await end(path);
        removeFiles(system, path);
        removed.add(token);
      }),
    async sweep(folder) {
      for (const { path, token } of findDrafts(system, folder)) if (!drafts.has(token)) discard(path, token);
      removeEarlierDrafts(system, folder);
    },
    open: (path) => inTurn(path, () => use(path)),
    settled: async () => void (await Promise.all([...writing].map((writer) => writer.settled()))),
    async close() {
      const open = [...files];
      files.clear();
      await Promise.all(open.map(([, { writer }]) => writer.close()));
      await checkpoints?.close();
    },
  };
  return translated(calls, translate);
}
