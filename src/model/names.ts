/** Ids of projects and collections. Names that begin with an underscore are reserved for the service. */
export const idPattern = /^[a-z][a-z0-9_-]{0,62}$/;
export const idRule = 'must be 1 to 63 of a-z, 0-9, _ and -, beginning with a letter';

export const fieldNamePattern = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;
export const fieldNameRule = 'must be 1 to 63 of A-Z, a-z, 0-9 and _, beginning with a letter';

/** Names of query parameters: a field with such a name could never be filtered by. */
export const reservedFieldNames: ReadonlySet<string> = new Set([
  'search',
  'page',
  'perPage',
  'after',
  'sort',
  'fields',
  'field',
  'include',
  'format',
]);

/** Reserved for future parameters. A collection that already has such a field keeps it. */
export const futureFieldNames: ReadonlySet<string> = new Set(['within', 'box', 'or', 'facets', 'aggregate']);
