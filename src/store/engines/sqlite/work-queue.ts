/** Runs one piece of work after the other, in order of arrival. One that fails does not hold up the next. */
export class WorkQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** Resolves when everything queued so far is finished. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
