import fc, { type GeneratorValue } from 'fast-check';

const index = (count: number) => fc.noBias(fc.nat({ max: count - 1 }));

/** Choices out of fast-check's generator, so that the seed alone decides them. */
export class Dice {
  readonly #draw: GeneratorValue;

  constructor(draw: GeneratorValue) {
    this.#draw = draw;
  }

  /** From 0 to count - 1. */
  below(count: number): number {
    return count <= 1 ? 0 : this.#draw(index, count);
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(from: readonly T[]): T {
    const picked = from[this.below(from.length)];
    if (from.length === 0) throw new Error('nothing to pick from');
    return picked as T;
  }

  shuffle<T>(items: readonly T[]): T[] {
    const left = [...items];
    return items.flatMap(() => left.splice(this.below(left.length), 1));
  }

  /** Different items, from least to most of them. */
  some<T>(from: readonly T[], least: number, most: number): T[] {
    return this.shuffle(from).slice(0, least + this.below(most - least + 1));
  }

  times<T>(count: number, make: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, at) => make(at));
  }
}
