import type { Database } from '../src/store/engines/sqlite/connection/database.ts';
import type { Sql } from '../src/store/sql/tag.ts';

/** The same connection to SQLite, which adds to `plans` how it goes about each of its reads. */
export function explained(db: Database, plans: string[]): Database {
  const rows = (query: Sql) => {
    const steps = db.rows({ ...query, text: `EXPLAIN QUERY PLAN ${query.text}` });
    plans.push(steps.map((step) => step[3]).join('\n'));
    return db.rows(query);
  };
  return new Proxy(db, {
    get(target, name) {
      if (name === 'rows') return rows;
      if (name === 'row') return (query: Sql) => rows(query)[0];
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
