import { Issues } from '../failure.ts';
import { isEmail } from './fields/email.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { refuseUnknownKeys } from './unknown-keys.ts';

const mostTexts = 100;

/** Reads a body with fixed keys, such as a sign-up: collects all faults, which `done` throws. */
export class Form {
  readonly #body: JsonObject;
  readonly #known: readonly string[];
  readonly #issues = new Issues();

  constructor(body: JsonObject, known: readonly string[]) {
    this.#body = body;
    this.#known = known;
    const fault = (at: string, message: string) => this.fault(at, message);
    refuseUnknownKeys(body, known, '', fault, () => this.#issues.full);
  }

  has(name: string): boolean {
    return this.#value(name) !== undefined;
  }

  /** Whether it is given and not null. */
  given(name: string): boolean {
    return this.has(name) && this.#value(name) !== null;
  }

  text(name: string, { least = 1, most = 200 }: { least?: number; most?: number } = {}): string {
    const value = this.#value(name);
    if (value === undefined) this.fault(name, 'is required');
    else if (typeof value !== 'string') this.fault(name, 'must be a string');
    else if (!value.isWellFormed() || value.includes('\0')) this.fault(name, 'must be well-formed text');
    else if (value === '' && least === 1) this.fault(name, 'must not be empty');
    else if ([...value.slice(0, 2 * least)].length < least)
      this.fault(name, `must be at least ${least} characters long`);
    // No character has more than two code units, so a text of a megabyte need not be split.
    else if (value.length > 2 * most || [...value].length > most)
      this.fault(name, `must be at most ${most} characters long`);
    else return value;
    return '';
  }

  /** In lower case, because addresses that differ only in case are the same account. */
  email(name: string): string {
    const value = this.text(name, { most: 254 }).trim().toLowerCase();
    if (value !== '' && !isEmail(value))
      this.fault(name, 'must be an email address, such as ann@example.com');
    return value;
  }

  flag(name: string): boolean {
    const value = this.#value(name);
    if (typeof value !== 'boolean') this.fault(name, 'must be true or false');
    return value === true;
  }

  /** A list of strings, without duplicates. */
  texts(name: string): readonly string[] {
    const value = this.#value(name);
    const texts = Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
    if (!Array.isArray(value) || texts.length < value.length) this.fault(name, 'must be a list of strings');
    else if (texts.length > mostTexts) this.fault(name, `must be a list of at most ${mostTexts}`);
    return [...new Set(texts)].slice(0, mostTexts);
  }

  isNull(name: string): boolean {
    return this.#value(name) === null;
  }

  oneOf<T extends string>(name: string, choices: readonly T[]): T {
    const value = this.#value(name);
    const found = choices.find((choice) => choice === value);
    if (found === undefined) this.fault(name, `must be one of ${choices.join(', ')}`);
    return found ?? (choices[0] as T);
  }

  wholeNumber(name: string, least: number, most: number): number {
    const value = this.#value(name);
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    this.fault(name, `must be a whole number from ${least} to ${most}`);
    return least;
  }

  /** A nested object, to be read on its own and then merged. */
  object(name: string, known: readonly string[]): Form {
    const value = this.#value(name);
    if (isJsonObject(value)) return new Form(value, known);
    this.fault(name, `must be an object with any of ${known.join(', ')}`);
    return new Form({}, known);
  }

  /** The raw value, validated by the caller. */
  value(name: string): Json | undefined {
    return this.#value(name);
  }

  /** An object with any keys, validated by the caller. */
  json(name: string): JsonObject {
    const value = this.#value(name);
    if (isJsonObject(value)) return value;
    this.fault(name, 'must be an object');
    return {};
  }

  fault(at: string, message: string): void {
    this.#issues.note(at, message);
  }

  /** Takes over the faults of a nested object. */
  merge(part: Form, name: string): void {
    for (const { at, message } of part.#issues.kept) this.fault(`${name}.${at}`, message);
  }

  done(): void {
    this.#issues.done();
  }

  #value(name: string): Json | undefined {
    return this.#known.includes(name) && Object.hasOwn(this.#body, name) ? this.#body[name] : undefined;
  }
}
