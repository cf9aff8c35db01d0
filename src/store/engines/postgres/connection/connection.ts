import type { Awaitable } from '../../../../awaitable.ts';
import type { ColumnValue } from '../../../../model/field.ts';
import type { Connection, Dialect } from '../../../sql/dialect.ts';
import { type Sql, type SqlStyle, sql, writeSql } from '../../../sql/tag.ts';
import type { Pool } from './pool.ts';
import type { Session } from './session.ts';

/** Access to a project's tables, or the instance's, through one session. */
export class PostgresConnection implements Connection {
  readonly dialect: Dialect;
  readonly #pool: Pick<Pool, 'isFrequent'>;
  readonly #session: Session;
  #ended = false;

  constructor(pool: Pick<Pool, 'isFrequent'>, session: Session, dialect: Dialect) {
    this.#pool = pool;
    this.#session = session;
    this.dialect = dialect;
  }

  /**
   * Runs work in a transaction. If one part of it fails, other parts may still be running: their later statements would be
   * executed outside the transaction, or in somebody else's, so they are refused.
   */
  async during<T>(work: (db: Connection) => Awaitable<T>): Promise<T> {
    try {
      return await work(this);
    } finally {
      this.#ended = true;
    }
  }

  async rows(query: Sql): Promise<ColumnValue[][]> {
    return (await this.#query(query)).rows;
  }

  async row(query: Sql): Promise<ColumnValue[] | undefined> {
    return (await this.#query(query)).rows[0];
  }

  async run(query: Sql): Promise<number> {
    return (await this.#query(query)).count;
  }

  async isSignedIn(digest: string): Promise<boolean> {
    const query = sql`SELECT 1 FROM vitrine.administrator_signins WHERE digest = ${digest} FOR KEY SHARE`;
    return (await this.row(query)) !== undefined;
  }

  async exec(text: string): Promise<void> {
    this.#refuseAfterEnd();
    await this.#session.command(text);
  }

  #query({ parts, values }: Sql) {
    this.#refuseAfterEnd();
    const text = textOf(parts, this.dialect.style);
    return this.#session.query(text, values, this.#pool.isFrequent(text));
  }

  #refuseAfterEnd(): void {
    if (this.#ended) throw new Error('the transaction has ended');
  }
}

/** SQL texts by template parts, for one project at a time. An entry is freed with the parts. */
const sqlTexts = new WeakMap<Sql['parts'], { readonly style: SqlStyle; readonly text: string }>();

function textOf(parts: Sql['parts'], style: SqlStyle): string {
  const known = sqlTexts.get(parts);
  if (known?.style === style) return known.text;
  const text = writeSql(parts, style);
  sqlTexts.set(parts, { style, text });
  return text;
}
