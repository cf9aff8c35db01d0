import type { parseArgs } from 'node:util';
import { didYouMean } from '../model/nearest.ts';

export interface Flag {
  readonly kind: 'text' | 'number' | 'switch';
  readonly summary: string;
  readonly fallback?: string;
  /** For numbers. */
  readonly least?: number;
  readonly most?: number;
}
export type Flags = Readonly<Record<string, Flag>>;

/** A command line that can't be understood: one clear line, exit code 2. */
export class UsageError extends Error {}

export class FlagValues {
  readonly #values: ReadonlyMap<string, string>;
  readonly #given: ReadonlySet<string>;

  /** `given`: the flags on the command line itself. */
  constructor(values: ReadonlyMap<string, string>, given: ReadonlySet<string> = new Set()) {
    this.#values = values;
    this.#given = given;
  }
  /** Whether it was on the command line, not only in the environment. */
  given(name: string): boolean {
    return this.#given.has(name);
  }
  text(name: string): string {
    return this.#values.get(name) ?? '';
  }
  number(name: string): number {
    return Number(this.text(name));
  }
  on(name: string): boolean {
    return this.text(name) === 'true';
  }
}

/** Reads the ACTION argument, which must be one of these. */
export function readAction<T extends string>(flags: FlagValues, actions: readonly T[]): T {
  const asked = flags.text('ACTION');
  const action = actions.find((one) => one === asked);
  if (action !== undefined) return action;
  const others = actions.slice(0, -1).join(', ');
  throw new UsageError(`there is no action '${asked}': use ${others} or ${actions.at(-1)}`);
}

/** `--log-requests` is also VITRINE_LOG_REQUESTS; the flag takes precedence. */
export function environmentName(flag: string): string {
  return `VITRINE_${flag.replaceAll('-', '_').toUpperCase()}`;
}

/** The parameters of a command: flags, and positional arguments such as FILE. */
export interface Takes {
  readonly flags: Flags;
  readonly args?: readonly string[];
  /** Optional arguments after `args`. */
  readonly optional?: readonly string[];
}

export function readFlags(
  takes: Takes,
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  parse: typeof parseArgs,
): FlagValues {
  const { flags } = takes;
  const given = parseArguments(takes, args, parse);
  const named = [...(takes.args ?? []), ...(takes.optional ?? [])];
  const values = new Map(named.map((name) => [name, given.get(name) ?? '']));
  for (const [name, flag] of Object.entries(flags)) {
    const { kind, fallback } = flag;
    const variable = environmentName(name);
    const value = given.get(name) ?? (environment[variable] || fallback); // an empty variable counts as not set
    if (value === undefined) continue;
    const source = given.has(name) ? `--${name}` : variable;
    if (kind === 'number') requireNumber(source, value, flag);
    if (kind === 'switch' && !['true', 'false', '1', '0', ''].includes(value)) {
      throw new UsageError(`${source} must be true or false, not '${value}'`);
    }
    values.set(name, kind === 'switch' ? String(value === 'true' || value === '1') : value);
  }
  return new FlagValues(values, new Set(given.keys()));
}

function requireNumber(source: string, value: string, { least = 0, most = Number.MAX_VALUE }: Flag): void {
  if (!/^\d+$/.test(value)) throw new UsageError(`${source} must be a whole number, not '${value}'`);
  if (Number(value) < least) throw new UsageError(`${source} must be at least ${least}`);
  if (Number(value) > most) throw new UsageError(`${source} must be at most ${most}`);
}

/** A flag without a default may be empty. */
function isValue(text: string | undefined, { fallback }: Flag): boolean {
  if (text === '') return fallback === undefined;
  return text !== undefined && !text.startsWith('--');
}

function parseArguments(takes: Takes, all: readonly string[], parse: typeof parseArgs): Map<string, string> {
  const { flags, args: needed = [], optional = [] } = takes;
  const expected = [...needed, ...optional];
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { kind }]) => [
      name,
      { type: kind === 'switch' ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const { tokens } = parse({
    args: [...all],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string>();
  let position = 0;
  for (const token of tokens) {
    if (token.kind === 'positional') {
      const name = expected[position++];
      if (name === undefined) throw new UsageError(`'${token.value}' is not expected here`);
      given.set(name, token.value);
    }
    if (token.kind !== 'option') continue;
    const flag = flags[token.name];
    if (!flag) {
      throw new UsageError(`there is no flag ${token.rawName}${didYouMean(token.name, Object.keys(flags))}`);
    }
    if (flag.kind !== 'switch' && !isValue(token.value, flag)) {
      throw new UsageError(`--${token.name} needs a value`);
    }
    given.set(token.name, token.value ?? 'true');
  }
  const missing = needed[position];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  return given;
}
