import { readFile, rename, writeFile } from 'node:fs/promises';
import { createClient } from 'vitrine/client';
import type { library } from '../library.ts';

/**
 * Keeps a file in step with the books of the library, however often either side is stopped:
 *
 *     VITRINE_URL=http://127.0.0.1:8090 VITRINE_KEY=vk_… node copy.ts books.json
 */
const { VITRINE_URL = 'http://127.0.0.1:8090', VITRINE_KEY } = process.env;
const file = process.argv[2] ?? 'books.json';
if (!VITRINE_KEY) throw new Error('set VITRINE_KEY to a server key of the project');

const v = createClient<typeof library>(VITRINE_URL, { project: 'library', token: VITRINE_KEY });
type Book = Awaited<ReturnType<typeof v.books.view>>;

/** The books and their position in the change feed: saved together, so that nothing is missed. */
interface Copy {
  next: string;
  books: Map<string, Book>;
}

async function load(): Promise<Copy | undefined> {
  try {
    const { next, books } = JSON.parse(await readFile(file, 'utf8')) as { next: string; books: Book[] };
    return { next, books: new Map(books.map((book) => [book._id, book])) };
  } catch {
    return undefined;
  }
}

async function save({ next, books }: Copy): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify({ next, books: [...books.values()] }));
  await rename(`${file}.new`, file); // atomic
}

/** The position first, then all books: changes made meanwhile are delivered again, which is harmless. */
async function readAnew(): Promise<Copy> {
  const next = await v.books.position();
  const books = new Map<string, Book>();
  for await (const book of v.books.all({ perPage: 1000 })) books.set(book._id, book);
  return { next, books };
}

let copy = (await load()) ?? (await readAnew());
await save(copy);
process.stdout.write(`${copy.books.size} books\n`);

for await (const change of v.books.changes({ after: copy.next })) {
  switch (change.kind) {
    case 'create':
    case 'update':
      copy.books.set(change._id, change.record);
      break;
    case 'delete':
      copy.books.delete(change._id);
      break;
    case 'refetch':
    case 'reset':
      copy = await readAnew();
  }
  copy.next = change.next;
  await save(copy);
  process.stdout.write(`${change.kind} ${change._id ?? ''}\n`);
}
