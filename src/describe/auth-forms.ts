import { passwordRule } from '../access/password.ts';
import { email as emailField } from '../model/fields/email.ts';
import type { JsonObject } from '../model/json.ts';
import { roles } from '../store/roles.ts';
import { schemaRef } from './collection-schemas.ts';
import type { Described } from './record-operations.ts';

/** Building blocks for the descriptions of calls to `_auth`. */

export const text = (minLength: number, maxLength: number): JsonObject => ({
  type: 'string',
  minLength,
  maxLength,
});
export const email = emailField.schema.sent({ type: 'email', name: 'email' });
export const password = text(passwordRule.least, passwordRule.most);
export const token = text(1, 500);
export const role = { type: 'string', enum: roles };

/** `optional` names end with a question mark. */
export function form(properties: Readonly<Record<string, JsonObject>>, closed = true): JsonObject {
  const entries = Object.entries(properties).map(([name, schema]) => [name.replace('?', ''), schema]);
  const required = Object.keys(properties).filter((name) => !name.endsWith('?'));
  return {
    type: 'object',
    properties: Object.fromEntries(entries),
    ...(required.length > 0 && { required }),
    ...(closed && { additionalProperties: false }),
  };
}

export const answer = (properties: Readonly<Record<string, JsonObject>>) => form(properties, false);

export function page(of: string): JsonObject {
  const count = { type: 'integer', minimum: 0 };
  return answer({
    page: count,
    perPage: count,
    total: count,
    totalPages: count,
    found: { type: 'array', items: schemaRef(of) },
  });
}

export interface Call {
  readonly name: string;
  readonly verb: Described['verb'];
  readonly path: string;
  readonly summary: string;
  /** Whether it needs no token. */
  readonly open?: boolean;
  readonly body?: JsonObject;
  readonly status?: 201;
  /** The schema of the response; undefined: it redirects the browser. */
  readonly result?: string;
  readonly refusals?: readonly number[];
  readonly paged?: boolean;
  readonly parameters?: readonly JsonObject[];
}
