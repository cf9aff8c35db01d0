import type { Json } from '../../src/model/json.ts';
import type { Dice } from '../reference/dice.ts';
import { isMany, Questions, Values } from '../reference/generate.ts';
import type { Field, Table } from '../reference/model.ts';
import { strangerId } from '../support.ts';
import { batchStep } from './batches.ts';
import { type Desk, json, managePath, pickToken, projectPath, type Request } from './desk.ts';
import { Known } from './known.ts';
import { bodyText, Payloads } from './payloads.ts';
import { peopleStep, settleSteps } from './people-steps.ts';
import { readStep } from './reads.ts';
import { changed, makeDefinitions } from './schemas.ts';
import type { Answer, Step } from './step.ts';
import { fillingStep, recordStep } from './writes.ts';

/** Writes the requests of one project, each in the knowledge of all answers before it. */
export class Author {
  readonly #desk: Desk;
  readonly #planned: Request[];
  #n = 0;

  constructor(dice: Dice) {
    const known = new Known();
    const values = new Values(dice);
    const peopled = dice.chance(35);
    this.#desk = {
      dice,
      known,
      questions: new Questions(dice, known.tables, values),
      payloads: new Payloads(dice, values, known.tables),
      peopled,
    };
    this.#planned = [
      { verb: 'POST', path: '/v1/_admin/projects', token: 'admin', body: '{"id":":project"}' },
      ...(peopled ? settleSteps(dice) : []),
      ...makeDefinitions(dice, peopled).map((definition) => ({
        verb: 'POST',
        path: `${managePath}/collections`,
        token: 'admin',
        body: JSON.stringify(definition),
      })),
    ];
  }

  /** One, or several to be sent at the same moment. */
  next(): Step[] {
    const { dice } = this.#desk;
    const planned = this.#planned.shift();
    const requests = planned ? [planned] : makeRequests(this.#desk);
    const [wait, burst] = [dice.pick([0, 0, 0, 1, 1, 7, 60, 1_500]), this.#n];
    return requests.map((request) => {
      this.#n += 1;
      return { n: this.#n, wait, ...(requests.length > 1 && { burst }), ...request };
    });
  }

  /** What anybody can see of the project in the end. */
  last(): Step[] {
    const { known } = this.#desk;
    const paths = [...known.tables].flatMap(([id, { fields }]) => {
      const path = `${projectPath}/${id}`;
      const names = Object.keys(fields);
      const sorts = names.filter((name) => !isMany(fields[name] as Field)).map((name) => `-${name}`);
      return [
        `${path}?perPage=1000&fields=_owner,_workspace,${names.join(',')}`,
        `${path}?perPage=1000&sort=${sorts.slice(0, 3).join(',')}`,
        `${path}/distinct?fields=${names.join(',')}`,
        `${managePath}/collections/${id}`,
      ];
    });
    const asked = ['/collections', '/users', '/workspaces', '/keys'].map((rest) => managePath + rest);
    return [...paths, ...asked].map((path) => {
      this.#n += 1;
      return { n: this.#n, verb: 'GET', path, token: 'admin' };
    });
  }

  learn(step: Step, answer: Answer): void {
    this.#desk.known.learn(step, answer);
  }
}

function makeRequests(desk: Desk): Request[] {
  const { dice } = desk;
  const [collection, table] = pickTable(desk);
  if (!collection || !table || !dice.chance(8) || !isCarefree(desk, collection)) return [makeRequest(desk)];
  return dice.times(2 + dice.below(6), () => ({
    verb: 'POST',
    path: `${projectPath}/${collection}`,
    token: 'admin',
    body: bodyText(desk.payloads.whole(table)),
  }));
}

/** What one record holds is nothing to another: of those sent at the same moment the first may as well be the last. */
function isCarefree({ known }: Desk, collection: string): boolean {
  return !/"unique":true|"type":"relation"/.test(JSON.stringify(known.definitions.get(collection)));
}

function makeRequest(desk: Desk): Request {
  const { dice, known } = desk;
  const [collection, table] = pickTable(desk);
  if (!collection || !table) return { verb: 'GET', path: `${managePath}/collections`, token: 'admin' };
  const way = dice.below(100);
  if (table.rows.length < 6 && way < 50) return fillingStep(desk, collection, table);
  if (way < 28) return recordStep(desk, collection, table);
  if (way < 68) return readStep(desk, collection, table);
  if (way < 80) return batchStep(desk, collection, table);
  if (way < 90) return schemaStep(desk, collection);
  if (desk.peopled && way < 97) return peopleStep(desk);
  if (known.keyed.length > 0 && way < 98) return again(dice.pick(known.keyed));
  return oddStep(desk, collection);
}

function pickTable({ dice, known }: Desk): [string, Table] | [] {
  const tables = [...known.tables];
  return tables.length === 0 ? [] : dice.pick([...tables, ...tables.slice(-1)]);
}

function schemaStep({ dice, known }: Desk, collection: string): Request {
  const path = `${managePath}/collections/${collection}`;
  const base = { path, token: 'admin' };
  const definition = known.definitions.get(collection);
  if (!definition || dice.chance(10)) return { ...base, verb: 'GET' };
  if (dice.chance(4)) {
    return { ...base, verb: 'DELETE', path: dice.chance(70) ? path : `${path}?confirm=destructive` };
  }
  if (dice.chance(6))
    return { ...base, verb: 'POST', path: `${managePath}/collections`, body: another(dice) };
  const ids = [...known.definitions.keys()];
  const query = dice.pick(['', '?dryRun=true', '?confirm=destructive', '?confirm=destructive']);
  return { ...base, verb: 'PUT', path: path + query, body: json(changed(dice, definition, ids) as Json) };
}

function another(dice: Dice): string {
  const [definition] = makeDefinitions(dice, false);
  return json({ ...definition, id: dice.pick(['d', 'order', 'c']) } as Json);
}

function again({ verb, path, body, token, headers }: Step): Request {
  return { verb, path, body, token, ...(headers && { headers }) };
}

function oddStep(desk: Desk, collection: string): Request {
  const { dice } = desk;
  const path = `${projectPath}/${collection}`;
  const token = pickToken(desk);
  return dice.pick<Request>([
    { verb: 'GET', path: `${path}/${strangerId}`, token },
    { verb: 'GET', path: `${path}/nobody`, token },
    { verb: 'PUT', path, token, body: '{}' },
    { verb: 'GET', path: `${projectPath}/nothing`, token },
    { verb: 'GET', path: `${path}?nonsense=1&pgae=2`, token },
    { verb: 'GET', path: `${path}?perPage=0&page=x`, token },
    { verb: 'GET', path: `${path}?search=%00`, token },
    { verb: 'GET', path: `${path}?after=nonsense`, token },
    { verb: 'POST', path, token, body: '{"a":' },
    { verb: 'POST', path, token, body: '[]' },
    { verb: 'GET', path: managePath, token: 'admin' },
    { verb: 'GET', path: `${managePath}/collections?perPage=2`, token: 'admin' },
  ]);
}
