import type { Schemas } from '../../../known-schemas.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { Counters } from '../../../sql/records/counters.ts';
import { raw } from '../../../sql/tag.ts';

/** For a transaction that changes the schema: from `lockSchema` on, nobody else can write to the project. */
export class SchemaCounters extends Counters {
  readonly #lock: string;

  constructor(db: Connection, schemas: Schemas, lock: string) {
    super(db, schemas);
    this.#lock = lock;
  }

  override async lockSchema(): Promise<void> {
    await this.db.row(raw(this.#lock));
    await this.verifySchema();
  }
}
