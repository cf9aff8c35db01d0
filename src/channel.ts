/** Carries texts between a writer and its clients, which are other threads or processes. */
export interface Channel {
  post(text: string): void;
  /** `ended` is called when nothing more will be received. */
  listen(received: (text: string) => void, ended: () => void): void;
  /** Call it when nothing more will be posted. */
  close(): Promise<void>;
}

/** Sends messages that are added together as one text, one per line. */
export class Outbox {
  readonly #channel: Channel;
  readonly #schedule: (flush: () => void) => void;
  readonly #most: number;
  #waiting: string[] = [];

  /** `schedule` decides when waiting messages are sent; `most` of them are sent at once. */
  constructor(
    channel: Channel,
    schedule: (flush: () => void) => void,
    most: number = Number.POSITIVE_INFINITY,
  ) {
    this.#channel = channel;
    this.#schedule = schedule;
    this.#most = most;
  }

  /** The message must not contain a line feed. */
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
