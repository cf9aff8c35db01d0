import { idSchema } from '../model/fields/relation.ts';
import type { JsonObject } from '../model/json.ts';
import { mostPerPage as mostAccounts } from '../query/page.ts';

/** The parameters that all collections share, as OpenAPI components. */

export const parameterRef = (name: string): JsonObject => ({ $ref: `#/components/parameters/${name}` });

export const exportParameters: Readonly<Record<string, JsonObject>> = {
  _format: {
    name: 'format',
    in: 'query',
    required: true,
    schema: { type: 'string', enum: ['csv', 'xlsx', 'json', 'ndjson'] },
  },
  _bom: {
    name: 'bom',
    in: 'query',
    description: 'With csv: begin with a byte order mark, by which Excel knows UTF-8.',
    schema: { type: 'boolean', default: false },
  },
};

export function sharedParameters(mostPerPage: number): Record<string, JsonObject> {
  const whole = { type: 'integer', minimum: 1 };
  return {
    _search: {
      name: 'search',
      in: 'query',
      description:
        'At most 32 words that must all occur in the text of a record; a "quoted phrase" counts as one.',
      schema: { type: 'string', pattern: '^[^\\u0000]*$' },
    },
    _page: {
      name: 'page',
      in: 'query',
      description: 'Page number.',
      schema: { ...whole, maximum: 999_999_999_999_999, default: 1 },
    },
    _perPage: {
      name: 'perPage',
      in: 'query',
      description: 'Records per page.',
      schema: { ...whole, maximum: mostPerPage, default: Math.min(25, mostPerPage) },
    },
    _accountsPerPage: {
      name: 'perPage',
      in: 'query',
      description: 'How many of them a page has.',
      schema: { ...whole, maximum: mostAccounts, default: 25 },
    },
    _after: {
      name: 'after',
      in: 'query',
      description:
        'In place of page: empty to begin, then the next of the answer before. Not together with page.',
      allowEmptyValue: true,
      schema: { type: 'string' },
    },
    _id: { name: 'id', in: 'path', required: true, description: 'The _id of a record.', schema: idSchema },
    _dryRun: {
      name: 'dryRun',
      in: 'query',
      description: 'Answers what would be touched, and does nothing.',
      schema: { type: 'boolean', default: false },
    },
    _ifMatch: {
      name: 'If-Match',
      in: 'header',
      description: 'The ETag of the record as it was read: if it has changed since, nothing is done.',
      schema: { type: 'string' },
    },
    _ifNoneMatch: {
      name: 'If-None-Match',
      in: 'header',
      description: 'The ETag that is known already.',
      schema: { type: 'string' },
    },
    _idempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      description:
        'For 24 hours the same key and body get the first answer again, and nothing is done twice.',
      schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
    },
  };
}
