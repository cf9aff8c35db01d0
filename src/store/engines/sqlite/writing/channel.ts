/** Carries texts between a writer and those it writes for: between threads, or between processes. */
export interface Channel {
  post(text: string): void;
  /** `ended`: nothing will be heard any more. */
  listen(heard: (text: string) => void, ended: () => void): void;
  /** Nothing more will be posted. */
  close(): Promise<void>;
}

/** What happens in one turn of the event loop goes as one text. */
export class Outbox<Message> {
  readonly #channel: Channel;
  #waiting: Message[] = [];

  constructor(channel: Channel) {
    this.#channel = channel;
  }

  add(message: Message): void {
    if (this.#waiting.length === 0) setImmediate(() => this.flush());
    this.#waiting.push(message);
  }

  flush(): void {
    if (this.#waiting.length === 0) return;
    const text = JSON.stringify(this.#waiting);
    this.#waiting = [];
    this.#channel.post(text);
  }
}
