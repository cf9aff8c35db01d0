import { counted } from '../terminal/colours.ts';

const mostReported = 1_000;

/** Counts rows, and collects the errors of bad ones. */
export class Tally {
  rows = 0;
  bad = 0;
  readonly #refused: { readonly line: number; readonly reason: string }[] = [];

  get good(): number {
    return this.rows - this.bad;
  }

  refused(line: number, reason: string): void {
    this.bad += 1;
    if (this.#refused.length < mostReported) this.#refused.push({ line, reason });
  }

  /** The bad rows, one line for each of the first 1,000. */
  report(): string {
    const reported = this.#refused.toSorted((one, other) => one.line - other.line);
    const lines = reported.map(({ line, reason }) => `line ${line}: ${reason}\n`);
    const more = this.bad - reported.length;
    return `${lines.join('')}${more > 0 ? `… and ${counted(more, 'more bad row')}\n` : ''}`;
  }
}
