import { formatInstant } from '../model/instant.ts';
import type { JsonObject } from '../model/json.ts';
import type { Values } from '../model/payload.ts';

export interface Stamps {
  readonly id: string;
  readonly created: number;
  readonly updated: number;
}

/** The JSON text of a record, as it is stored and sent. */
export function recordJson(
  { id, created, updated }: Stamps,
  values: Values,
  valuesJson: string = JSON.stringify(values),
): string {
  const fields = valuesJson === '{}' ? '' : `${valuesJson.slice(1, -1)},`;
  const createdAt = formatInstant(created);
  const updatedAt = updated === created ? createdAt : formatInstant(updated);
  return `{"_id":${JSON.stringify(id)},${fields}"_createdAt":"${createdAt}","_updatedAt":"${updatedAt}"}`;
}

/** Back to the values of the schema's fields. */
export function recordValues(json: string): Values {
  const { _id, _createdAt, _updatedAt, ...values } = JSON.parse(json) as JsonObject;
  return values;
}
