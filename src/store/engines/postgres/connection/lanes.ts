/** What a connection is used for. */
export type Lane = 'read' | 'expensive' | 'write';

/**
 * How many connections each kind of work may use. Cheap reads never wait for work that may take long: writes, which may wait
 * for a lock or a standby, and expensive reads always leave some connections to them.
 */
export class Lanes {
  readonly #most: Readonly<Record<Lane, number>>;
  /** Limit for expensive reads and writes together. */
  readonly #mostSlow: number;
  readonly #busy: Record<Lane, number> = { read: 0, expensive: 0, write: 0 };

  constructor(size: number) {
    this.#mostSlow = size - (size > 1 ? Math.max(1, Math.floor(size / 5)) : 0);
    this.#most = { read: size, expensive: Math.max(1, Math.floor(size / 3)), write: this.#mostSlow };
  }

  get used(): number {
    const { read, expensive, write } = this.#busy;
    return read + expensive + write;
  }

  admits(lane: Lane): boolean {
    const { expensive, write } = this.#busy;
    if (lane !== 'read' && expensive + write >= this.#mostSlow) return false;
    return this.#busy[lane] < this.#most[lane];
  }

  enter(lane: Lane): void {
    this.#busy[lane] += 1;
  }

  leave(lane: Lane): void {
    this.#busy[lane] -= 1;
  }
}
