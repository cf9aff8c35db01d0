import { counted } from './colours.ts';

interface Screen {
  readonly live: boolean;
  write(text: string): void;
}

/** The words around the count: `12 rows`, or `copied 12 records`. */
interface Unit {
  readonly verb: string;
  readonly unit: string;
}

/** Reports progress: on a terminal in one line that is updated, elsewhere in a line every few seconds. */
export class Progress {
  readonly #screen: Screen;
  readonly #now: () => number;
  readonly #unit: Unit;
  readonly #start: number;
  #next: number;

  constructor(screen: Screen, now: () => number, unit: Unit = { verb: '', unit: 'row' }) {
    this.#screen = screen;
    this.#unit = unit;
    this.#now = now;
    this.#start = now();
    this.#next = this.#start + this.#pause;
  }

  get #pause(): number {
    return this.#screen.live ? 200 : 5_000;
  }

  get seconds(): number {
    return (this.#now() - this.#start) / 1_000;
  }

  report(rows: number, part: number | undefined): void {
    if (this.#now() < this.#next) return;
    this.#next = this.#now() + this.#pause;
    const share = part === undefined ? '' : `, ${Math.floor(part * 100)}%`;
    const { verb, unit } = this.#unit;
    const speed = counted(Math.round(rows / Math.max(this.seconds, 0.001)), unit);
    const text = `${verb}${counted(rows, unit)}${share}, ${speed}/s`;
    this.#screen.write(this.#screen.live ? `\r\u001b[K${text}` : `${text}\n`);
  }

  end(): void {
    if (this.#screen.live) this.#screen.write('\r\u001b[K');
  }
}
