/** Serializes work per file: each piece begins when those before it are finished. */
export class PathQueues {
  /** The last piece of work per path; the entry is deleted when it is finished. */
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

  /** Resolves when everything queued so far is finished. */
  async idle(path: string): Promise<void> {
    await this.#last.get(path);
  }
}
