/**
 * `vitrine serve` whose writer thread reaches SQLite through a module of the bench:
 *   bun bench/servers/serve-with-driver.ts MODULE [flags of serve]
 */
import { pathToFileURL } from 'node:url';
import { startWriterThread } from '../../src/runtime/writers.ts';
import { openSqliteEngine } from '../../src/store/engines/sqlite/engine.ts';
import { serveOn } from './serve-on.ts';

const [module = '', ...words] = process.argv.slice(2);

await serveOn(words, async ({ flags, runtime }, log) => {
  const failed = (error: unknown) => {
    log.error('the thread that writes failed', error);
    process.exit(1);
  };
  const writers = startWriterThread({ failed, driver: pathToFileURL(module) });
  return openSqliteEngine(runtime.sqlite, flags.text('data'), writers); // nobody else is given this directory
});
