const most = 1_000;

/** Answers that hold for as long as nothing is written to their collection. */
export class Remembered<T> {
  /** Answers that are larger are found anew each time. */
  readonly #small: (answer: T) => boolean;
  readonly #answers = new Map<string, { readonly version: number; readonly answer: T }>();

  constructor(small: (answer: T) => boolean = () => true) {
    this.#small = small;
  }

  /** `version` is that of the collection which `question` names, in the transaction that `find` would read in. */
  get(version: number, question: string, find: () => T): T {
    const known = this.#answers.get(question);
    if (known?.version === version) return known.answer;
    const answer = find();
    this.#answers.delete(question);
    if (!this.#small(answer)) return answer;
    if (this.#answers.size >= most) {
      const [oldest] = this.#answers.keys();
      if (oldest !== undefined) this.#answers.delete(oldest);
    }
    this.#answers.set(question, { version, answer });
    return answer;
  }
}
