/** The requests that are being answered. */
export class InFlight {
  #count = 0;
  #drained: (() => void) | undefined;

  get count(): number {
    return this.#count;
  }

  /** Whether the server waits for the last one to finish. */
  get draining(): boolean {
    return this.#drained !== undefined;
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#drained?.();
  }

  /** Resolves when there are none. */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#drained = resolve;
      if (this.#count === 0) resolve();
    });
  }
}
