import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds since it began. Only Linux tells; elsewhere all are 0. */
export interface ThreadTimes {
  /** It had a processor. */
  readonly used: number;
  /** It was ready to go on and had none, as others had all of them. */
  readonly delayed: number;
}

/** Of what somebody waited for, the times that are the machine's doing, and those that are the server's. */
export interface ServerTimes {
  readonly serving: ThreadTimes;
  /** The thread that writes to files. */
  readonly writing: ThreadTimes;
  /** Milliseconds that other threads were delayed, such as those that hash passwords. */
  readonly others: ReadonlyMap<string, number>;
  /** The same of sessions of PostgreSQL. */
  readonly sessions: ReadonlyMap<string, number>;
}

/** Milliseconds for which it is believed which sessions there are. */
const believed = 250;
const none: ThreadTimes = { used: 0, delayed: 0 };

export class ServerTimesReader {
  readonly #server: number;
  readonly #database: string | undefined;
  readonly #lower = new Map<string, boolean>();
  #sessions: { readonly pids: readonly string[]; readonly at: number } = { pids: [], at: 0 };

  /** `database`: by whose name the sessions are known, which is in theirs. */
  constructor(server: number, database?: string) {
    this.#server = server;
    this.#database = database;
  }

  read(): ServerTimes {
    const tasks = `/proc/${this.#server}/task`;
    const threads = namesIn(tasks)
      .filter((name) => name !== String(this.#server))
      .sort((one, other) => Number(one) - Number(other))
      .map((name) => `${tasks}/${name}`);
    // It is the first of those with a lower priority.
    const writing = threads.find((path) => this.#isLower(path));
    const delays = (paths: readonly string[]) => new Map(paths.map((path) => [path, timesOf(path).delayed]));
    return {
      serving: timesOf(`/proc/${this.#server}`),
      writing: writing ? timesOf(writing) : none,
      others: delays(threads.filter((path) => !this.#isLower(path))),
      sessions: delays(this.#findSessions().map((pid) => `/proc/${pid}`)),
    };
  }

  #isLower(thread: string): boolean {
    const known = this.#lower.get(thread);
    if (known !== undefined) return known;
    // Behind the name, which is in brackets: the nineteenth of all.
    const nice = Number(textOf(`${thread}/stat`).split(') ').at(-1)?.split(' ')[16]);
    this.#lower.set(thread, nice > 0);
    return nice > 0;
  }

  #findSessions(): readonly string[] {
    const database = this.#database;
    if (database === undefined) return [];
    if (Date.now() - this.#sessions.at > believed) {
      const pids = namesIn('/proc').filter((name) => /^\d+$/.test(name));
      const isSession = (pid: string) => {
        const line = textOf(`/proc/${pid}/cmdline`);
        return line.startsWith('postgres: ') && line.includes(` ${database} `);
      };
      this.#sessions = { pids: pids.filter(isSession), at: Date.now() };
    }
    return this.#sessions.pids;
  }
}

export type Asked = 'healthz' | 'view' | 'page' | 'create' | 'signIn';

/**
 * How long a request would have waited, had each thread that it needs had a processor: without the times they had none, though
 * never less than what the server's own threads did meanwhile.
 */
export function waitAlone(kind: Asked, wait: number, before: ServerTimes, now: ServerTimes): number {
  const writes = kind === 'create' || kind === 'signIn';
  const sessions = kind === 'healthz' ? 0 : longestOf(before.sessions, now.sessions);
  const delayed = [
    now.serving.delayed - before.serving.delayed,
    writes ? now.writing.delayed - before.writing.delayed : 0,
    kind === 'signIn' ? Math.max(sessions, longestOf(before.others, now.others)) : sessions,
  ].reduce((sum, one) => sum + one, 0);
  const served = now.serving.used - before.serving.used;
  const written = writes ? now.writing.used - before.writing.used : 0;
  return Math.max(wait - delayed, served, written);
}

/** The longest of any one of these from one moment to another. */
function longestOf(before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): number {
  const grown = [...now].map(([path, delay]) => delay - (before.get(path) ?? delay));
  return grown.reduce((most, one) => Math.max(most, one), 0);
}

function timesOf(path: string): ThreadTimes {
  const [used = 0, delayed = 0] = textOf(`${path}/schedstat`)
    .split(' ')
    .map((nanoseconds) => Number(nanoseconds) / 1e6);
  return { used, delayed };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Nothing where it has ended. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
