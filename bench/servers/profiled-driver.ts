import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import type { SqliteDriver } from '../../src/store/engines/sqlite/connection/driver.ts';

/**
 * Has the thread that writes profiled, which Bun's --cpu-prof does not do: from the moment it loads this module until a
 * project's file is closed, as is the only one when the server ends. Written to the path in BENCH_WRITER_PROFILE.
 */
const path = process.env.BENCH_WRITER_PROFILE;
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.setSamplingInterval', { interval: 500 });
session.post('Profiler.start');

export function wrapDriver(driver: SqliteDriver): SqliteDriver {
  return {
    open(file) {
      const connection = driver.open(file);
      return {
        ...connection,
        close() {
          connection.close();
          session.post('Profiler.stop', (_, answer) => {
            if (path !== undefined && answer) writeFileSync(path, JSON.stringify(answer.profile));
          });
        },
      };
    },
  };
}
