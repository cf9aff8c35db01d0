const longestName = 64;
const mostHints = 10;

/** `didYouMean` for the first few names of a request; for thousands it would be too expensive. */
export function hints(known: Iterable<string>): (name: string) => string {
  const hint = fewHints();
  return (name) => hint(name, known);
}

/** The same for known names that differ from call to call. */
export function fewHints(): typeof didYouMean {
  let given = 0;
  return (name, known) => (given++ < mostHints ? didYouMean(name, known) : '');
}

/** The names that other products use. */
const elsewhere: ReadonlyMap<string, string> = new Map(
  Object.entries({
    perPage: ['limit', 'per_page', 'pageSize', 'page_size', 'size', 'take', 'first'],
    page: ['offset', 'skip'],
    after: ['cursor', 'startAfter', 'starting_after'],
    search: ['q', 'query'],
    sort: ['order', 'orderBy', 'order_by', 'sortBy', 'sort_by'],
    fields: ['select', 'columns'],
    include: ['expand', 'populate', 'with', 'embed'],
    _id: ['id', 'uuid'],
    _createdAt: ['createdAt', 'created_at', 'created', 'date_created'],
    _updatedAt: ['updatedAt', 'updated_at', 'updated', 'modified', 'date_updated'],
    text: ['string', 'str', 'varchar', 'char', 'enum'],
    content: ['richtext', 'markdown', 'html', 'longtext'],
    number: ['int', 'integer', 'float', 'double', 'decimal', 'numeric'],
    boolean: ['bool'],
    datetime: ['date', 'time', 'timestamp', 'timestamptz'],
    list: ['array'],
    relation: ['reference', 'ref', 'foreignKey', 'belongsTo'],
  }).flatMap(([ours, theirs]) => theirs.map((name) => [name.toLowerCase(), ours])),
);

/** Returns `, did you mean 'title'?` if one of the known names is similar; otherwise an empty text. */
export function didYouMean(name: string, known: Iterable<string>): string {
  if (name === '' || name.length > longestName) return '';
  const names = [...known];
  const best = findTranslated(name, names) ?? findNearest(name, names);
  return best === undefined ? '' : `, did you mean '${best}'?`;
}

function findTranslated(name: string, known: readonly string[]): string | undefined {
  const ours = elsewhere.get(name.toLowerCase());
  return ours !== undefined && known.includes(ours) ? ours : undefined;
}

function findNearest(name: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The number of letters to insert, delete, replace, or swap with their neighbour; counting stops at `most`. */
function editDistance(a: string, b: string, most: number): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current.push(
        Math.min(
          at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1),
          at(previous, column) + 1,
          at(current, column - 1) + 1,
          swapped ? at(beforePrevious, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    if (Math.min(...current) >= most && Math.min(...previous) >= most) return most;
    [beforePrevious, previous] = [previous, current];
  }
  return at(previous, b.length);
}

const at = (row: readonly number[], column: number) => row[column] ?? Number.POSITIVE_INFINITY;
