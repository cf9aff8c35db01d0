import type { SqliteDriver } from '../../src/store/engines/sqlite/connection/driver.ts';
import { wrapStatements } from './wrap-statements.ts';

/** Milliseconds that a commit takes on a slow disk. */
export const commitTime = 20;

const nothing = new Int32Array(new SharedArrayBuffer(4));

/** The driver on a slow disk: whoever commits stands still, as in fsync. Loaded by the thread that writes. */
export function wrapDriver(driver: SqliteDriver): SqliteDriver {
  return wrapStatements(driver, (statement, text) => {
    if (text !== 'COMMIT') return statement;
    return {
      ...statement,
      run(values) {
        Atomics.wait(nothing, 0, 0, commitTime);
        return statement.run(values);
      },
    };
  });
}
