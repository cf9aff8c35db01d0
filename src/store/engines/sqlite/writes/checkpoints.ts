import { raw } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { pagesInLog } from '../connection/project-file.ts';

/** Copies the logs of files into the files, outside of the thread that writes. */
export interface Checkpoints {
  open(path: string): FileCheckpoints;
  close(): Promise<void>;
}

export interface FileCheckpoints {
  /** Copies everything that was committed before, unless somebody still reads an earlier state. */
  copy(): Promise<void>;
  close(): Promise<void>;
}

/** Pages of the log that are not in the file yet. From this many on, 16 MB, they are worth copying. */
const worthCopying = 4_000;
/** A log of more pages is restarted as soon as all of it is copied. */
const longestLog = 8_000;
/** So many remaining pages the writer copies itself before that, in about two milliseconds. */
const fewLeft = 1_000;
/** Pages after which SQLite copies them during a commit, while writes wait: then the other thread is far behind. */
const mostUncopied = 64_000;
/** Milliseconds. */
const betweenLooks = 5;
const afterTrouble = { first: 50, most: 1_000 };
/** Milliseconds to wait for readers of the log; most reads take less than one. */
const longestWait = 20;

/**
 * Keeps the log of a file short. If the writer copied it, all writes would wait 40 ms every 4,000 pages; with the other thread
 * there is a pause of 2 ms every 10,000 pages.
 */
export class LogKeeper {
  readonly #db: Database;
  readonly #beside: FileCheckpoints | undefined;
  #copying: Promise<void> | undefined;
  #nextLook = 0;
  /** Doubles each time: one read that took a moment too long must not let the log grow for a whole second. */
  #pause = afterTrouble.first;

  constructor(db: Database, beside: FileCheckpoints | undefined) {
    this.#db = db;
    this.#beside = beside;
    if (beside) this.#writerCopiesAfter(mostUncopied);
  }

  /** To be called after a commit. Whether the log is to be restarted before the next one. */
  isLong(): boolean {
    const now = performance.now();
    if (this.#copying || now < this.#nextLook) return false;
    this.#nextLook = now + betweenLooks;
    const [, log = 0, copied = 0] = (this.#db.row(raw('PRAGMA wal_checkpoint(NOOP)')) ?? []).map(Number);
    const left = log - copied;
    // Without the other thread the writer copies the log itself, and SQLite restarts it, unless it always has a reader.
    if (!this.#beside) return log > longestLog;
    if (log > longestLog && left <= fewLeft) return true;
    if (left >= worthCopying || log > longestLog) this.#copy(this.#beside);
    return false;
  }

  /** Not to be called within a transaction. The next commit is then the first of the log, unless somebody reads what is in it. */
  beginAnew(): void {
    try {
      this.#db.exec(`PRAGMA busy_timeout = ${longestWait}`);
      const [busy] = this.#db.row(raw('PRAGMA wal_checkpoint(RESTART)')) ?? [];
      if (Number(busy) === 0) this.#pause = afterTrouble.first;
      else this.#waitLonger();
    } catch {
      this.#waitLonger(); // a full disk, say; what is committed stays in the log
    } finally {
      this.#db.exec('PRAGMA busy_timeout = 5000');
    }
  }

  async close(): Promise<void> {
    await this.#copying;
    await this.#beside?.close();
  }

  #waitLonger(): void {
    this.#nextLook = performance.now() + this.#pause;
    this.#pause = Math.min(2 * this.#pause, afterTrouble.most);
  }

  #copy(beside: FileCheckpoints): void {
    this.#copying = beside
      .copy()
      .catch(() => this.#writerCopiesAfter(pagesInLog)) // as it does without the other thread
      .then(() => {
        this.#copying = undefined;
      });
  }

  #writerCopiesAfter(pages: number): void {
    this.#db.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
  }
}
