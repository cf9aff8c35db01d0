import { type Scope, scopeName } from '../../../../access/scope.ts';
import { perCollection } from '../../../cache.ts';
import type { Schemas } from '../../../known-schemas.ts';
import type { ViewPlan } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { recordTable } from '../../../sql/names.ts';
import { andScope } from '../../../sql/records/where.ts';
import { type Sql, sql } from '../../../sql/tag.ts';
import { leastForGroup, type RequestDeadline } from '../connection/request-deadline.ts';
import type { ProjectDatabase } from '../project-database.ts';
import { arrayText } from '../tables/arrays.ts';
import { checkVersion, schemaVersion } from './schema-version.ts';

interface Waiting {
  readonly plan: ViewPlan;
  /** Deadline of its request. */
  readonly latest: number;
  resolve(json: string | undefined): void;
  reject(error: unknown): void;
}

/** More would wait too long for one another's records, which may be large. */
const mostInGroup = 16;

/**
 * Records of the same collection and scope that are requested in the same turn of the event loop are read by one statement: a
 * round trip costs several times as much as PostgreSQL needs for a record.
 */
export class Views {
  readonly #database: Pick<ProjectDatabase, 'read'>;
  readonly #schemas: Schemas;
  readonly #deadline: RequestDeadline;
  /** By what the plans have in common. */
  readonly #groups = new Map<string, Waiting[]>();

  constructor(database: Pick<ProjectDatabase, 'read' | 'schemas' | 'deadline'>) {
    this.#database = database;
    this.#schemas = database.schemas;
    this.#deadline = database.deadline;
  }

  view(plan: ViewPlan): Promise<string | undefined> {
    const { remaining } = this.#deadline;
    if (remaining < leastForGroup) return this.#database.read((db) => viewRecord(db, this.#schemas, plan));
    return this.#deadline.waitFor(this.#join(plan, Date.now() + remaining));
  }

  #join(plan: ViewPlan, latest: number): Promise<string | undefined> {
    return new Promise((resolve, reject) => {
      const waiting = { plan, latest, resolve, reject };
      const name = nameOf(plan);
      const group = this.#groups.get(name);
      if (group) {
        group.push(waiting);
        if (group.length < mostInGroup) return;
        this.#groups.delete(name);
        void this.#read(group);
        return;
      }
      const begun = [waiting];
      this.#groups.set(name, begun);
      // Deferred until the requests of this turn of the event loop have joined.
      setImmediate(() => {
        if (this.#groups.get(name) !== begun) return; // it was full before
        this.#groups.delete(name);
        void this.#read(begun);
      });
    });
  }

  async #read(group: readonly Waiting[]): Promise<void> {
    const latest = Math.min(...group.map((each) => each.latest));
    const plans = group.map(({ plan }) => plan);
    try {
      // With a deadline of its own: otherwise the group would run under that of the request that came first.
      const found = await this.#deadline.run(
        () => this.#database.read((db) => viewRecords(db, this.#schemas, plans)),
        latest - Date.now(),
      );
      for (const { plan, resolve } of group) resolve(found.get(plan.id));
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }
}

function nameOf({ collection: { key, version }, scope }: ViewPlan): string {
  return `${key} ${version} ${scopeName(scope)}`;
}

/** Returns records by id. The plans differ only in the id. */
async function viewRecords(
  db: Connection,
  schemas: Schemas,
  plans: readonly ViewPlan[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const [first] = plans;
  if (!first) return found;
  if (plans.length === 1) {
    const json = await viewRecord(db, schemas, first);
    return json === undefined ? found : found.set(first.id, json);
  }
  const collection = schemas.collection(first.collection);
  const { several } = statementsOf(collection, first.scope);
  const ids = arrayText(plans.map(({ id }) => id));
  const rows = await db.rows({ ...several, values: [ids, ...andScope(first.scope).values] });
  checkVersion(rows.find(([, id]) => id === null)?.[0], collection);
  for (const [, id, json] of rows) if (id !== null) found.set(String(id), String(json));
  return found;
}

async function viewRecord(db: Connection, schemas: Schemas, plan: ViewPlan): Promise<string | undefined> {
  const { id, scope } = plan;
  const collection = schemas.collection(plan.collection);
  const { one } = statementsOf(collection, scope);
  const row = await db.row({ ...one, values: [id, ...andScope(scope).values] });
  checkVersion(row?.[0], collection);
  return row?.[1]?.toString();
}

interface Statements {
  readonly one: Sql;
  /** A row with the schema version and no id, and the records found. */
  readonly several: Sql;
}

const statements = perCollection(() => new Map<Scope['kind'], Statements>());

/** Returns the same text object each time, which a Map finds without hashing it again. */
function statementsOf(collection: StoredCollection, scope: Scope): Statements {
  const known = statements(collection).get(scope.kind);
  if (known) return known;
  const table = recordTable(collection);
  const made = {
    one: sql`SELECT ${schemaVersion}, (SELECT json FROM ${table} WHERE id = ${''}${andScope(scope)})`,
    several: sql`
      SELECT ${schemaVersion}, NULL, NULL
      UNION ALL SELECT NULL, id, json FROM ${table} WHERE id = ANY(${''}::text[])${andScope(scope)}`,
  };
  statements(collection).set(scope.kind, made);
  return made;
}
