import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SqliteDriver } from '../connection/driver.ts';
import { isUnreadable } from '../connection/faults.ts';
import { openProjectFile } from './open-project-file.ts';
import { ProjectWriter } from './project-writer.ts';
import { restoreFile } from './restore-file.ts';
import type { ProjectWrites, Writers } from './writers.ts';

interface OpenFile {
  readonly writer: ProjectWriter;
  users: number;
}

/** The writers of all projects in this thread. Whoever opens a file again shares its writer. */
export function localWriters(driver: SqliteDriver): Writers {
  const files = new Map<string, OpenFile>();
  /** Whose file it is that was made here: of the project created then, or of one whose file was missing when it was opened. */
  const made = new Map<string, number | 'opened'>();
  /** What happens to one file happens in order. */
  const turns = new Map<string, Promise<unknown>>();

  function inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
    const turn = (turns.get(path) ?? Promise.resolve()).then(work);
    const over = turn
      .catch(() => {})
      .then(() => {
        if (turns.get(path) === over) turns.delete(path);
      });
    turns.set(path, over);
    return turn;
  }

  async function openWriter(path: string): Promise<OpenFile> {
    const known = files.get(path);
    if (known) return known;
    if (!existsSync(path)) made.set(path, 'opened');
    const file = { writer: new ProjectWriter(await openProjectFile(driver, path)), users: 0 };
    files.set(path, file);
    return file;
  }

  async function release(path: string, file: OpenFile): Promise<void> {
    file.users -= 1;
    if (file.users > 0 || files.get(path) !== file) return;
    files.delete(path);
    await file.writer.close();
  }

  async function use(path: string): Promise<ProjectWrites> {
    const file = await openWriter(path);
    file.users += 1;
    let open = true;
    return {
      perform: (kind, plan, progress) => file.writer.perform(kind, plan, progress),
      load: (plan) => file.writer.load(plan),
      close: () =>
        inTurn(path, async () => {
          if (open) await release(path, file);
          open = false;
        }),
    };
  }

  async function end(path: string): Promise<void> {
    const { writer } = await openWriter(path);
    files.delete(path);
    await writer.end();
  }

  /** A file of a project that is deleted, or that no project owns. */
  async function putAway(path: string, at: number): Promise<void> {
    if (files.has(path)) await end(path);
    setAside(path, at);
  }

  return {
    create: (path, at) =>
      inTurn(path, async () => {
        if (made.get(path) !== 'opened') await putAway(path, at);
        const file = await openWriter(path);
        made.set(path, at);
        file.users += 1;
        await release(path, file);
      }),
    open: (path) => inTurn(path, () => use(path)),
    remove: (path, of) =>
      inTurn(path, async () => {
        const known = made.get(path);
        if (typeof known === 'number' && known !== of) return; // of a project that has the name by now
        made.delete(path);
        if (!existsSync(path)) return;
        await end(path).catch((error: unknown) => {
          if (!isUnreadable(error)) throw error; // what nobody can read nobody has open
        });
        removeFiles(path);
      }),
    restore: (path, at, dump, check) =>
      inTurn(path, async () => {
        const draft = `${path}.incomplete`;
        removeFiles(draft); // what an earlier one left that was interrupted
        try {
          await restoreFile(driver, draft, dump, check);
          setAside(path, at);
          renameSync(draft, path);
        } catch (error) {
          removeFiles(draft);
          throw error;
        }
        syncDirectory(dirname(path));
      }),
    async close() {
      const open = [...files];
      files.clear();
      await Promise.all(open.map(([, { writer }]) => writer.close()));
    },
  };
}

/** A file that no project owns is not for a new project to inherit, nor ours to delete. */
function setAside(path: string, at: number): void {
  if (!existsSync(path)) return;
  let number = at;
  while (existsSync(`${path}.orphan-${number}`)) number += 1;
  renameSync(path, `${path}.orphan-${number}`);
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}

function removeFiles(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}

/** A name lasts when its directory is on disk. */
function syncDirectory(path: string): void {
  if (process.platform === 'win32') return; // which opens no directories, and needs none of it
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
