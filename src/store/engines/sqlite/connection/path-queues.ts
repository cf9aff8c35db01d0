/** What happens to one file happens in order: each piece of work begins when those before it are over. */
export class PathQueues {
  /** The last piece of work of each path; an entry goes with it. */
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(path: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(path) ?? Promise.resolve()).then(work);
    const over = turn
      .catch(() => {})
      .then(() => {
        if (this.#last.get(path) === over) this.#last.delete(path);
      });
    this.#last.set(path, over);
    return turn;
  }

  /** When all that is queued now is over. */
  async idle(path: string): Promise<void> {
    await this.#last.get(path);
  }
}
