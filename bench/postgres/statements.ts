import { readNetworks } from '../../src/access/networks.ts';
import { SignInLimit } from '../../src/access/sign-in-limit.ts';
import { Catalog } from '../../src/catalog/catalog.ts';
import { createApp } from '../../src/http/app.ts';
import { defaultLimits } from '../../src/http/services.ts';
import type { Log } from '../../src/log.ts';
import { Session } from '../../src/store/engines/postgres/connection/session.ts';
import { openPostgresEngine } from '../../src/store/engines/postgres/engine.ts';

const mostAttempts = 20;

type Value = string | number | boolean | null;

/** `#` among the values, and XXXXXXXXXX within one, stand for a number that is new each time. */
export interface Statement {
  readonly text: string;
  readonly values: readonly Value[];
}

/**
 * What the product asks PostgreSQL for each of these paths, where it remembers nothing of their answers: one statement each, or it
 * is not what the bench takes it for.
 */
export async function statementsOf(url: string, paths: readonly string[]): Promise<Statement[]> {
  const log: Log = { info() {}, error() {} };
  const catalog = new Catalog(openPostgresEngine({ url, log, pool: 1 }), Date.now);
  const app = createApp({
    ...{ catalog, log, now: Date.now, adminKeyDigest: undefined, signInLimit: new SignInLimit() },
    ...{ rateLimit: undefined, proxies: readNetworks(''), limits: defaultLimits },
  });
  const asked: Statement[] = [];
  const query = Session.prototype.query;
  Session.prototype.query = function (this: Session, text, values, prepare) {
    asked.push({ text, values });
    return query.call(this, text, values, prepare);
  };
  try {
    const found = new Map<string, Statement>();
    for (const path of new Set(paths)) {
      // The first request opens the project, and a while after that some statements tidy it up.
      for (let attempt = 1; ; attempt++) {
        asked.length = 0;
        const response = await app.fetch(new Request(`http://127.0.0.1${path}`));
        if (!response.ok) throw new Error(`${path} was answered with ${response.status}`);
        // Whether a page that is remembered is still what it was is asked without the records, and so is how many there are.
        const [statement, ...more] = asked.filter(({ text }) => text.includes('json'));
        if (statement && more.length === 0) {
          found.set(path, statement);
          break;
        }
        if (attempt === mostAttempts)
          throw new Error(`${path} takes these statements: ${JSON.stringify(asked)}`);
      }
    }
    return paths.flatMap((path) => found.get(path) ?? []);
  } finally {
    Session.prototype.query = query;
    await catalog.close();
  }
}
