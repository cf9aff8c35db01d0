interface Deadline {
  readonly at: number;
  missed(): void;
}

const step = 500;

/** Many deadlines with one timer, as a timer per request would be too expensive. */
export class Deadlines {
  readonly #waiting = new Set<Deadline>();
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Calls `missed` some time after `milliseconds`, unless the deadline is dropped before. */
  add(milliseconds: number, missed: () => void): Deadline {
    const deadline = { at: performance.now() + milliseconds, missed };
    this.#waiting.add(deadline);
    this.#timer ??= setInterval(() => this.#look(), Math.min(step, milliseconds));
    this.#timer.unref();
    return deadline;
  }

  drop(deadline: Deadline): void {
    this.#waiting.delete(deadline);
  }

  #look(): void {
    const now = performance.now();
    for (const deadline of this.#waiting) {
      if (deadline.at > now) continue;
      this.#waiting.delete(deadline);
      deadline.missed();
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
