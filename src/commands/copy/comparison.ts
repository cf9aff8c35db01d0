import type { Dump } from '../../store/dump.ts';
import { type Survey, type Surveyed, survey } from './survey.ts';

interface Line {
  readonly name: string;
  readonly from: Surveyed;
  readonly to: Surveyed;
}

const none: Surveyed = { count: 0, checksum: 'none' };
const shownDigits = 16;

/** The surveys of both sides, side by side. */
export class Comparison {
  readonly #lines: readonly Line[];

  constructor(from: Survey, to: Survey) {
    const names = [...new Set([...from.keys(), ...to.keys()])];
    this.#lines = names.map((name) => ({
      name,
      from: from.get(name) ?? none,
      to: to.get(name) ?? none,
    }));
  }

  /** The names of the lines that differ. */
  get different(): string[] {
    return this.#lines.filter(isDifferent).map(({ name }) => name);
  }

  table(): string {
    const cells = this.#lines.map((line) => [
      line.name,
      line.from.count.toLocaleString('en-US'),
      line.to.count.toLocaleString('en-US'),
      checksums(line),
    ]);
    const rows = [['', 'from', 'to', 'checksum'], ...cells];
    const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
    return rows
      .map(([name = '', from = '', to = '', last = '']) => {
        const [first = 0, second = 0, third = 0] = widths;
        return `${name.padEnd(first)}  ${from.padStart(second)}  ${to.padStart(third)}  ${last}\n`;
      })
      .join('');
  }
}

function isDifferent({ from, to }: Line): boolean {
  return from.count !== to.count || from.checksum !== to.checksum;
}

function checksums(line: Line): string {
  const [from, to] = [line.from, line.to].map(({ checksum }) => checksum.slice(0, shownDigits));
  return isDifferent(line) ? `${from} DIFFERS FROM ${to}` : `${from}`;
}

/** Reads both sides concurrently. */
export async function compare(from: Dump, to: Dump): Promise<Comparison> {
  const [one, other] = await Promise.all([survey(from), survey(to)]);
  return new Comparison(one, other);
}
