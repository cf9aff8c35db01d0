/** Carries texts between a writer and those it writes for: between threads, or between processes. */
export interface Channel {
  post(text: string): void;
  /** `ended`: nothing will be received any more. */
  listen(received: (text: string) => void, ended: () => void): void;
  /** Nothing more will be posted. */
  close(): Promise<void>;
}

/** Messages that come about together go as one text, a line each. */
export class Outbox {
  readonly #channel: Channel;
  readonly #schedule: (flush: () => void) => void;
  readonly #most: number;
  #waiting: string[] = [];

  /** `schedule` decides for how long messages wait for others, unless there are `most` of them. */
  constructor(
    channel: Channel,
    schedule: (flush: () => void) => void,
    most: number = Number.POSITIVE_INFINITY,
  ) {
    this.#channel = channel;
    this.#schedule = schedule;
    this.#most = most;
  }

  /** Without a line feed in it. */
  add(message: string): void {
    if (this.#waiting.length === 0) this.#schedule(() => this.flush());
    this.#waiting.push(message);
    if (this.#waiting.length >= this.#most) this.flush();
  }

  flush(): void {
    if (this.#waiting.length === 0) return;
    const text = this.#waiting.join('\n');
    this.#waiting = [];
    this.#channel.post(text);
  }
}
