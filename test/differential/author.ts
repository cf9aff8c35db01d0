import type { Json } from '../../src/model/json.ts';
import type { Dice } from '../reference/dice.ts';
import { Questions, Values } from '../reference/generate.ts';
import type { Table } from '../reference/model.ts';
import { strangerId } from '../support.ts';
import { batchStep } from './batches.ts';
import { type Desk, json, managePath, pickToken, projectPath, type Request } from './desk.ts';
import { Known } from './known.ts';
import { Payloads } from './payloads.ts';
import { peopleStep, settleSteps } from './people-steps.ts';
import { readStep } from './reads.ts';
import { changed, makeDefinitions } from './schemas.ts';
import type { Answer, Step } from './step.ts';
import { recordStep } from './writes.ts';

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

  next(): Step {
    this.#n += 1;
    const wait = this.#desk.dice.pick([0, 0, 0, 1, 1, 7, 60, 1_500]);
    return { n: this.#n, wait, ...(this.#planned.shift() ?? makeRequest(this.#desk)) };
  }

  learn(step: Step, answer: Answer): void {
    this.#desk.known.learn(step, answer);
  }
}

function makeRequest(desk: Desk): Request {
  const { dice, known } = desk;
  const [collection, table] = pickTable(desk);
  if (!collection || !table) return { verb: 'GET', path: `${managePath}/collections`, token: 'admin' };
  const way = dice.below(100);
  if (table.rows.length < 6 || way < 40) return recordStep(desk, collection, table);
  if (way < 76) return readStep(desk, collection, table);
  if (way < 86) return batchStep(desk, collection, table);
  if (way < 91) return schemaStep(desk, collection);
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
  const ids = [...known.definitions.keys()];
  const query = dice.pick(['', '?dryRun=true', '?confirm=destructive', '?confirm=destructive']);
  return { ...base, verb: 'PUT', path: path + query, body: json(changed(dice, definition, ids) as Json) };
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
