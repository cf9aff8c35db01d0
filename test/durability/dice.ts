/** Choices that a seed decides (mulberry32). */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** From 0 to count - 1. */
  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count);
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(from: readonly T[]): T | undefined {
    return from[this.below(from.length)];
  }

  /** Up to `most` different ones. */
  some<T>(from: readonly T[], most: number): T[] {
    const left = [...from];
    const count = Math.min(this.below(most + 1), left.length);
    return Array.from({ length: count }, () => left.splice(this.below(left.length), 1)).flat();
  }

  /** Another sequence of its own. */
  fork(): Dice {
    return new Dice(this.below(2 ** 31));
  }
}

/** VITRINE_SEED, or a new one each time. */
export function seedOf(environment: Readonly<Record<string, string | undefined>>): number {
  const given = Number(environment.VITRINE_SEED);
  return environment.VITRINE_SEED && Number.isInteger(given) ? given : Date.now() % 2 ** 31;
}
