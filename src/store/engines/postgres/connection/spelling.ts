/** Tables of a project, in shared statements and in ours. Those of collections are named by keys. */
const projectTables = [
  '[rsm]\\d+',
  'l\\d+_\\d+',
  ...['meta', 'collections', 'counters', 'touches', 'garbage', 'idempotency'],
  ...['secrets', 'users', 'workspaces', 'members', 'sessions', 'refresh_tokens', 'keys'],
];

const instanceTables = [
  ...['format', 'projects', 'administrators', 'setup'],
  ...['administrator_signins', 'administrator_invitations', 'administrator_tickets'],
];

const mostKept = 2_000;

/**
 * Puts a statement into the words of PostgreSQL: `?` becomes `$1`, `$2` …, and every table is named with its schema.
 * One connection serves all projects, so what decides to which project a statement goes is the statement alone:
 * a search_path could be another project's, or be lost in a pooler between us and the server.
 */
export class Spelling {
  readonly schema: string;
  readonly #words: RegExp;
  readonly #kept = new Map<string, string>();

  private constructor(schema: string, tables: readonly string[]) {
    this.schema = schema;
    // Not in quotes (a name that must stay as it is) and not behind a dot (a column, or in a schema already).
    this.#words = new RegExp(`\\?|(?<![\\w."'])(?:${tables.join('|')})(?![\\w"'])`, 'g');
  }

  static ofProject(seq: number): Spelling {
    return new Spelling(`vitrine_p${seq}`, projectTables);
  }

  static ofInstance(): Spelling {
    return new Spelling('vitrine', instanceTables);
  }

  /** The same text object each time, for as long as it is in use. */
  spell(text: string): string {
    const known = this.#kept.get(text);
    if (known !== undefined) return known;
    let places = 0;
    const spelt = text.replace(this.#words, (word) => {
      if (word !== '?') return `${this.schema}.${word}`;
      places += 1;
      return `$${places}`;
    });
    if (this.#kept.size >= mostKept) this.#kept.clear();
    this.#kept.set(text, spelt);
    return spelt;
  }
}
