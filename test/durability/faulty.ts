import type {
  SqliteConnection,
  SqliteDriver,
  SqliteStatement,
} from '../../src/store/engines/sqlite/connection/driver.ts';
import { SqliteFault } from '../../src/store/engines/sqlite/connection/driver.ts';

export interface Fault {
  readonly code: number;
  /** The transaction is rolled back at once, as SQLite does when the disk is full. */
  readonly rollsBack: boolean;
  /** Which statements can fail; all others run. */
  readonly applies: (text: string, path: string) => boolean;
  /** How many of these run before the first that fails. */
  readonly after: number;
  /** How many fail. */
  readonly times: number;
}

const messages = new Map([
  [5, 'database is locked'],
  [8, 'attempt to write a readonly database'],
  [10, 'disk I/O error'],
  [13, 'database or disk is full'],
  [14, 'unable to open database file'],
]);

/** Runs everything on a real driver, but for the statements that are told to fail. */
export class FaultyDriver implements SqliteDriver {
  readonly #real: SqliteDriver;
  #fault: Fault | undefined;
  #met = 0;
  #thrown = 0;
  /** How many connections were opened and not closed. */
  openNow = 0;

  constructor(real: SqliteDriver) {
    this.#real = real;
  }

  /** From now on; says afterwards, with `mend`, how many statements failed. */
  arm(fault: Fault): void {
    this.#fault = fault;
    this.#met = 0;
    this.#thrown = 0;
  }

  /** How many have failed so far. */
  get thrown(): number {
    return this.#thrown;
  }

  mend(): { met: number; thrown: number } {
    this.#fault = undefined;
    return { met: this.#met, thrown: this.#thrown };
  }

  open(path: string): SqliteConnection {
    this.#check(path, 'open', undefined);
    const db = this.#real.open(path);
    this.openNow += 1;
    return {
      exec: (text) => {
        this.#check(path, text, db);
        db.exec(text);
      },
      prepare: (text) => this.#prepare(path, db, text),
      isInTransaction: () => db.isInTransaction(),
      close: () => {
        this.openNow -= 1;
        db.close();
      },
    };
  }

  #prepare(path: string, db: SqliteConnection, text: string): SqliteStatement {
    const statement = db.prepare(text);
    return {
      rows: (values) => {
        this.#check(path, text, db);
        return statement.rows(values);
      },
      run: (values) => {
        this.#check(path, text, db);
        return statement.run(values);
      },
      finalize: () => statement.finalize(),
    };
  }

  #check(path: string, text: string, db: SqliteConnection | undefined): void {
    const fault = this.#fault;
    if (!fault?.applies(text, path)) return;
    this.#met += 1;
    if (this.#met <= fault.after || this.#thrown >= fault.times) return;
    this.#thrown += 1;
    if (fault.rollsBack) {
      try {
        db?.exec('ROLLBACK');
      } catch {} // there was no transaction
    }
    throw new SqliteFault(fault.code, messages.get(fault.code) ?? 'fault', undefined);
  }
}
