/** Projects and collections. What begins with an underscore belongs to the service. */
export const idPattern = /^[a-z][a-z0-9_-]{0,62}$/;
export const idRule = 'must be 1 to 63 of a-z, 0-9, _ and -, beginning with a letter';

export const fieldNamePattern = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;
export const fieldNameRule = 'must be 1 to 63 of A-Z, a-z, 0-9 and _, beginning with a letter';

/** Query parameters of their own, so a field of that name could never be filtered by. */
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

/** For what is to come. A collection that has such a field already keeps it. */
export const futureFieldNames: ReadonlySet<string> = new Set(['within', 'box', 'or', 'facets', 'aggregate']);
