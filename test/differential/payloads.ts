import type { Json } from '../../src/model/json.ts';
import type { Dice } from '../reference/dice.ts';
import type { Payload, Values } from '../reference/generate.ts';
import type { Field, Table, World } from '../reference/model.ts';
import { strangerId } from '../support.ts';

/** Long ones, up to more than an entry of an index may be, with the same beginnings; a world has those of one row. */
const longTexts = [
  ['x'.repeat(3_100), `${'x'.repeat(3_100)}y`, `${'x'.repeat(3_099)}Y`],
  ['é'.repeat(250), `${'é'.repeat(250)}a`, `${'é'.repeat(249)}e\u0301`],
  ['👍'.repeat(800), `${'👍'.repeat(800)}\u{10ffff}`, '👍'.repeat(249)],
  [`${'\\'.repeat(900)}%_'"`, `${'\\'.repeat(901)}%_'"`],
  [`${'a b '.repeat(900)}ß`, `${'a b '.repeat(900)}SS`],
];

/** Numbers as JSON.stringify never writes them. */
const spelledNumbers = [
  ...['-0', '-0.0', '1.0', '1e2', '1E+308', '1e400', '4.9e-324', '0.1e-400', '12345678901234567890'],
  ...['9007199254740993', '0.30000000000000000001', '123456789.123456789', '1e15', '1e16', '-1e-5'],
];

const spelled = (number: string): Json => `@raw:${number}`;

/** The text of a body, with numbers spelled as they were drawn. */
export function bodyText(body: Json): string {
  return JSON.stringify(body).replace(/"@raw:([^"]+)"/g, '$1');
}

/** Payloads with worse values than the reference model is asked about, and some that break a rule. */
export class Payloads {
  readonly #dice: Dice;
  readonly #values: Values;
  readonly #world: World;
  /** Of a hundred values so many are long, or spelled otherwise. */
  readonly #worseOnes: number;
  readonly #longTexts: readonly string[];

  constructor(dice: Dice, values: Values, world: World) {
    this.#dice = dice;
    this.#values = values;
    this.#world = world;
    this.#worseOnes = dice.pick([8, 8, 60]);
    this.#longTexts = dice.pick(longTexts);
  }

  whole(table: Table): Payload {
    return this.#spoil(table, this.#values.payload(table, this.#world));
  }

  part(table: Table): Payload {
    const fields = this.#dice.some(Object.entries(table.fields), 1, 2);
    const values = fields.map(([name, field]) => [name, this.#values.of(field, this.#world)]);
    return this.#spoil(table, Object.fromEntries(values));
  }

  #spoil(table: Table, payload: Payload): Payload {
    const dice = this.#dice;
    const worse = Object.entries(payload).map(([name, value]) => {
      const field = table.fields[name];
      return [
        name,
        field && value !== null && dice.chance(this.#worseOnes) ? this.#worse(field, value) : value,
      ];
    });
    const made: Payload = Object.fromEntries(worse);
    if (!dice.chance(6)) return made;
    const name = dice.pick([...Object.keys(table.fields), '_id', '_owner', 'nonsense', 'titel', 'page']);
    return {
      ...made,
      [name]: dice.pick<Json>([null, '', [], {}, 5, true, 'text', strangerId, [strangerId]]),
    };
  }

  #worse(field: Field, value: Json): Json {
    const dice = this.#dice;
    if (field.type === 'text' || field.type === 'content') return dice.pick(this.#longTexts);
    if (field.type === 'number') return spelled(dice.pick(spelledNumbers));
    if (field.type === 'url')
      return `https://example.com/${'a'.repeat(dice.pick([229, 230, 231, 1_000, 3_000]))}`;
    if (field.type === 'list' && Array.isArray(value)) {
      const item = { type: field.of.type };
      const one = dice.chance(50) ? this.#worse(item, '') : this.#values.scalar(field.of.type);
      return [...(value as Json[]), one, one];
    }
    return value;
  }
}
