import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { SqliteConnection, SqliteDriver } from '../../src/store/engines/sqlite/connection/driver.ts';
import { type FileSystem, fileSystem } from '../../src/store/engines/sqlite/connection/file-system.ts';

/** In memory where there is such a place: thousands of syncs are of no use here. */
export const quickRoom = fileSystem.exists('/dev/shm') ? '/dev/shm' : tmpdir();

/** What a kill or a power cut would leave: a copy of the data directory. */
export interface CrashState {
  readonly directory: string;
  /** After what it was taken, and which names were lost. */
  readonly name: string;
}

type Step = (names: Map<string, number>) => void;

/**
 * Stands between the engine and the disk, and keeps after each step what would be left if the process ended there; and
 * for a power cut, each choice of names in `projects/` that no sync has made to last. What is inside of files is taken as
 * SQLite left it: that it syncs what it has to is its own matter.
 */
export class CrashRecorder {
  readonly states: CrashState[] = [];
  readonly #directory: string;
  readonly #room = mkdtempSync(join(quickRoom, 'vitrine-crash-'));
  /** Which file, by a number, has which name in `projects/`: now, and for certain after a power cut. */
  readonly #names = new Map<string, number>();
  #lasting = new Map<string, number>();
  #steps: Step[] = [];
  #files = 0;
  #copies = 0;

  constructor(directory: string) {
    this.#directory = directory;
    this.#look();
    this.#lasting = new Map(this.#names);
  }

  /** The driver, with every commit as a step. */
  driver(driver: SqliteDriver): SqliteDriver {
    const watched = (connection: SqliteConnection, path: string): SqliteConnection => ({
      ...connection,
      prepare: (text) => {
        const statement = connection.prepare(text);
        if (text !== 'COMMIT') return statement;
        const run = (values: Parameters<typeof statement.run>[0]) => {
          const changes = statement.run(values);
          this.#keep(`a commit to ${basename(path)}`);
          return changes;
        };
        return { ...statement, run };
      },
    });
    return { open: (path) => watched(driver.open(path), path) };
  }

  readonly files: FileSystem = {
    ...fileSystem,
    makeFile: (path) => {
      fileSystem.makeFile(path);
      const file = this.#newFile(basename(path));
      this.#did(`making ${basename(path)}`, (names) => names.set(basename(path), file));
    },
    rename: (from, to) => {
      this.#stash(to);
      fileSystem.rename(from, to);
      this.#did(`renaming ${basename(from)} to ${basename(to)}`, (names) => {
        const file = names.get(basename(from));
        if (file === undefined) return;
        names.delete(basename(from));
        names.set(basename(to), file);
      });
    },
    remove: (path) => {
      this.#look();
      this.#stash(path);
      fileSystem.remove(path);
      this.#did(`removing ${basename(path)}`, (names) => names.delete(basename(path)));
    },
    sync: (folder) => {
      fileSystem.sync(folder);
      if (basename(folder) !== 'projects') return;
      this.#look();
      this.#lasting = new Map(this.#names);
      this.#steps = [];
      this.#keep('a sync');
    },
  };

  close(): void {
    rmSync(this.#room, { recursive: true, force: true });
  }

  #did(what: string, step: Step): void {
    step(this.#names);
    this.#steps.push(step);
    this.#keep(what);
  }

  #newFile(name: string): number {
    this.#files += 1;
    this.#names.set(name, this.#files);
    return this.#files;
  }

  /** SQLite's logs come and go by themselves, and last with the sync that it does then. */
  #look(): void {
    const there = new Set(
      readdirSync(join(this.#directory, 'projects')).filter((name) => !name.endsWith('-shm')),
    );
    for (const name of there) {
      if (!this.#names.has(name)) this.#lasting.set(name, this.#newFile(name));
    }
    for (const name of [...this.#names.keys()]) if (!there.has(name)) this.#names.delete(name);
  }

  /** Keeps the content of a file whose name is about to go, should the name come back. */
  #stash(path: string): void {
    const file = this.#names.get(basename(path));
    if (file !== undefined && fileSystem.exists(path)) copyFileSync(path, join(this.#room, `file-${file}`));
  }

  #keep(what: string): void {
    this.#look();
    this.#copy(`killed after ${what}`, this.#names);
    for (let lost = 1; lost < 2 ** this.#steps.length; lost++) {
      const names = new Map(this.#lasting);
      const kept = this.#steps.filter((_, index) => (lost & (1 << index)) === 0);
      for (const step of kept) step(names);
      this.#copy(`power cut after ${what}, ${this.#steps.length - kept.length} names lost (${lost})`, names);
    }
  }

  #copy(name: string, names: ReadonlyMap<string, number>): void {
    this.#copies += 1;
    const directory = join(this.#room, `state-${this.#copies}`);
    mkdirSync(join(directory, 'projects'), { recursive: true });
    for (const each of readdirSync(this.#directory)) {
      if (/^instance\.db(-wal)?$/.test(each))
        copyFileSync(join(this.#directory, each), join(directory, each));
    }
    const current = new Map([...this.#names].map(([known, file]) => [file, known]));
    for (const [each, file] of names) {
      const real = current.get(file);
      const from =
        real === undefined ? join(this.#room, `file-${file}`) : join(this.#directory, 'projects', real);
      if (fileSystem.exists(from)) copyFileSync(from, join(directory, 'projects', each));
    }
    this.states.push({ directory, name });
  }
}

/** A copy to work on. */
export function copyDirectory(from: string): string {
  const to = mkdtempSync(join(quickRoom, 'vitrine-copy-'));
  cpSync(from, to, { recursive: true });
  return to;
}
