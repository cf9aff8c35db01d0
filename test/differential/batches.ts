import type { Json } from '../../src/model/json.ts';
import type { Payload } from '../reference/generate.ts';
import type { Table } from '../reference/model.ts';
import { type Desk, pickToken, projectPath, type Request } from './desk.ts';
import { bodyText } from './payloads.ts';
import { keyed } from './writes.ts';

/** Several writes in one request, to one collection or to the project. */
export function batchStep(desk: Desk, collection: string, table: Table): Request {
  const { dice } = desk;
  const whole = dice.chance(50);
  const body = whole ? operations(desk) : oneCollection(desk, table);
  return {
    verb: 'POST',
    path: whole ? `${projectPath}/_batch` : `${projectPath}/${collection}/batch`,
    token: pickToken(desk),
    body: bodyText(body),
    ...(dice.chance(20) && { headers: keyed(desk) }),
  };
}

function oneCollection({ dice, payloads }: Desk, table: Table): Json {
  const some = (most: number) => dice.some(table.rows, 0, Math.min(most, table.rows.length));
  const made: { name: string; place: string }[] = [];
  return {
    create: dice.times(dice.below(4), (at) => {
      const payload = referring(dice, payloads.whole(table), table, made);
      made.push({ name: '', place: `create[${at}]` });
      return payload;
    }),
    update: some(2).map(({ _id }) => ({ _id, ...referring(dice, payloads.part(table), table, made) })),
    delete: some(1).map(({ _id }) => _id),
  };
}

function operations({ dice, known, payloads }: Desk): Json {
  const tables = [...known.tables];
  const made: { name: string; place: string }[] = [];
  const list = dice.times(1 + dice.below(5), (at): Json => {
    const [collection, table] = dice.pick(tables);
    const row = table.rows.length > 0 ? dice.pick(table.rows) : undefined;
    const way = dice.below(10);
    if (!row || way < 6) {
      const data = referring(dice, payloads.whole(table), table, made);
      made.push({ name: collection, place: `operations[${at}]` });
      return { method: 'create', collection, data };
    }
    if (way > 8) return { method: 'delete', collection, id: row._id };
    const data = referring(dice, payloads.part(table), table, made);
    return { method: 'update', collection, id: row._id, data };
  });
  return { operations: list };
}

/** With relations to what the batch makes. */
function referring(
  dice: Desk['dice'],
  payload: Payload,
  { fields }: Table,
  made: readonly { readonly name: string; readonly place: string }[],
): Payload {
  const related = Object.entries(fields).map(([name, field]): [string, Json] | [] => {
    if (field.type !== 'relation' || !Object.hasOwn(payload, name) || !dice.chance(50)) return [];
    const fitting = made.filter((one) => one.name === '' || one.name === field.to || dice.chance(2));
    if (fitting.length === 0) return [];
    const ref = { $ref: dice.pick(fitting).place };
    return [name, field.kind === 'multiple' ? [ref, ...[payload[name] ?? []].flat()] : ref];
  });
  return { ...payload, ...Object.fromEntries(related.filter(([name]) => name !== undefined)) };
}
