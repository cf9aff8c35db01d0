import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Row } from '../support.ts';
import type { Dice } from './dice.ts';
import { applyChanges, type Change, type Entries, type Found, type Kind, learn, mismatch } from './model.ts';
import { type Operation, planOperation } from './operation.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly replayed: boolean;
  readonly retryAfter: string | null;
}

/** undefined: the answer did not arrive. */
export type Send = (operation: Operation) => Promise<Answer | undefined>;

const keysOfClient = 1_000_000;

/** Writes one thing after the other to records of its own, so that what they should be is known. */
export class Client {
  readonly dice: Dice;
  readonly #number: number;
  #counter = 0;
  #entries: Entries = new Map();
  #unanswered: Operation | undefined;
  /** Words that were written since the last check. */
  #words: string[] = [];
  readonly #kept: { readonly operation: Operation; readonly text: string }[] = [];
  acknowledged = 0;

  constructor(number: number, dice: Dice) {
    this.#number = number;
    this.dice = dice;
  }

  get entries(): Entries {
    return this.#entries;
  }

  owns(key: number): boolean {
    return Math.floor(key / keysOfClient) === this.#number;
  }

  nextKey(): number {
    return this.#number * keysOfClient + ++this.#counter;
  }

  /** Never given before; as long as a token of the index, and the beginning of no other. */
  nextWord(): string {
    const word = `z${String(this.#number).padStart(2, '0')}${String(++this.#counter).padStart(5, '0')}`;
    this.#words.push(word);
    return word;
  }

  /** The status, or undefined where no answer came. */
  async write(send: Send): Promise<number | undefined> {
    const operation = planOperation(this);
    const answer = await send(operation);
    const unknown = answer?.status === 503 && answer.retryAfter === null;
    if (answer && !unknown) this.#settle(operation, answer);
    else this.#unanswered = operation;
    return answer?.status;
  }

  #settle(operation: Operation, answer: Answer): void {
    const told = `${JSON.stringify(operation)}: ${answer.status} ${answer.text}`;
    if (answer.status === 503) {
      assert.match(answer.retryAfter ?? '', /^[1-9]\d*$/, told);
      return;
    }
    if (operation.refused) {
      assert.equal(answer.status, 409, told);
      return;
    }
    assert.equal(answer.status, operation.verb === 'POST' && operation.single ? 201 : 200, told);
    const rows = rowsOf((JSON.parse(answer.text) as { result: JsonObject }).result, operation);
    assert.equal(rows.length, operation.changes.length, told);
    this.#entries = applyChanges(this.#entries, operation.changes, rows);
    this.acknowledged += operation.changes.length;
    if (operation.idempotencyKey) this.#kept.push({ operation, text: answer.text });
  }

  /**
   * What the store holds of this client is all that was acknowledged, with or without the whole of what was not
   * answered. Says what was found of the latter.
   */
  check(found: Found): 'written' | 'absent' | 'answered' {
    const before = mismatch(this.#entries, found);
    const lost = this.#unanswered;
    if (!lost || before === undefined) {
      assert.equal(before, undefined, `client ${this.#number}: ${before}`);
      this.#entries = learn(this.#entries, found);
      return lost && !lost.refused ? 'absent' : 'answered';
    }
    const written = applyChanges(this.#entries, lost.refused ? [] : lost.changes, []);
    const after = mismatch(written, found);
    const told = `client ${this.#number}: neither without (${before}) nor with (${after}) ${JSON.stringify(lost)}`;
    assert.equal(after, undefined, told);
    this.#entries = learn(written, found);
    return 'written';
  }

  /** Sends what was not answered again where its key makes that safe. To be called after `check`. */
  async repeat(send: Send, state: 'written' | 'absent' | 'answered'): Promise<void> {
    const lost = this.#unanswered;
    this.#unanswered = undefined;
    if (!lost?.idempotencyKey || lost.refused) return;
    const answer = await send(lost);
    assert.ok(answer, 'an answer');
    assert.equal(answer.replayed, state === 'written', JSON.stringify(lost));
    if (state === 'absent') this.#settle(lost, answer);
    else {
      assert.ok(answer.status === 200 || answer.status === 201, answer.text);
      this.#kept.push({ operation: lost, text: answer.text });
    }
  }

  /** The last answer under a key and one of long ago come again byte for byte. */
  async replay(send: Send): Promise<number> {
    const chosen = [this.#kept.at(-1), this.dice.pick(this.#kept)].filter((kept) => kept !== undefined);
    for (const { operation, text } of chosen) {
      const answer = await send(operation);
      assert.deepEqual([answer?.text, answer?.replayed], [text, true], JSON.stringify(operation));
    }
    return chosen.length;
  }

  /** Some words of late, and the keys of the records that a search for each should find. */
  wordsToFind(most: number): { word: string; kind: Kind; keys: number[] }[] {
    const words = this.dice.some(this.#words, most);
    this.#words = [];
    return words.flatMap((word) =>
      (['groups', 'items'] as const).map((kind) => {
        const entries = [...this.#entries.values()].filter((entry) => entry.kind === kind);
        return {
          word,
          kind,
          keys: entries.filter(({ title }) => title?.includes(word)).map(({ key }) => key),
        };
      }),
    );
  }
}

/** The answered record for each change, in their order. */
function rowsOf(
  result: JsonObject,
  { single, changes }: { single: boolean; changes: readonly Change[] },
): Row[] {
  if (single) return [result as Row];
  if (Array.isArray(result.results)) return result.results as Row[];
  const { created, updated, deleted } = result as Record<string, Json[]>;
  const gone = (deleted ?? []).map((id) => ({ _id: id }));
  assert.equal(gone.length, changes.filter(({ method }) => method === 'delete').length);
  return [...(created ?? []), ...(updated ?? []), ...gone] as Row[];
}
