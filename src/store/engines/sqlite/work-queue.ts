/** One piece of work after the other, in the order in which they came. One that fails does not keep the next from its turn. */
export class WorkQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** When all that is queued now is over. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
