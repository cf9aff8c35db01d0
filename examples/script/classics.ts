import { createClient, VitrineError } from 'vitrine/client';
import type { library } from '../library.ts';

/**
 * Moves books from before a year to the shelf `classic`: a script for a server, with a server key.
 *
 *     VITRINE_URL=http://127.0.0.1:8090 VITRINE_KEY=vk_… node classics.ts 1950
 */
const { VITRINE_URL = 'http://127.0.0.1:8090', VITRINE_KEY } = process.env;
const before = Number(process.argv[2] ?? 1950);
if (!VITRINE_KEY) throw new Error('set VITRINE_KEY to a server key of the project');

const v = createClient<typeof library>(VITRINE_URL, { project: 'library', token: VITRINE_KEY });
const pages = v.books.all({
  where: { year: { '<': before }, shelf: { '!=': 'classic' } },
  fields: ['title'],
  perPage: 500,
});

let moved = 0;
try {
  for await (const { found } of pages.pages()) {
    if (found.length === 0) continue;
    const { updated } = await v.books.batch((b) => {
      for (const { _id } of found) b.update(_id, { shelf: 'classic' });
    });
    moved += updated.length;
  }
  process.stdout.write(`${moved} books moved\n`);
} catch (error) {
  if (!(error instanceof VitrineError)) throw error;
  process.stderr.write(`${moved} books moved, then: ${error.message}\n`);
  process.exitCode = 1;
}
