import type { ColumnValue } from '../../../../model/field.ts';
import type { Connection } from '../../../sql/connection.ts';
import type { Dialect } from '../../../sql/dialect.ts';
import type { Sql } from '../../../sql/tag.ts';
import type { Pool } from './pool.ts';
import type { Session } from './session.ts';
import type { Spelling } from './spelling.ts';

/** A project, or the instance, through one session. */
export class PostgresConnection implements Connection {
  readonly dialect: Dialect;
  readonly #pool: Pick<Pool, 'isFrequent'>;
  readonly #session: Session;
  readonly #spelling: Spelling;

  constructor(pool: Pick<Pool, 'isFrequent'>, session: Session, spelling: Spelling, dialect: Dialect) {
    this.#pool = pool;
    this.#session = session;
    this.#spelling = spelling;
    this.dialect = dialect;
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

  async exec(text: string): Promise<void> {
    await this.#session.command(this.#spelling.spell(text));
  }

  #query({ text, values }: Sql) {
    const spelt = this.#spelling.spell(text);
    return this.#session.query(spelt, values, this.#pool.isFrequent(spelt));
  }
}
