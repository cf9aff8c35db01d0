import type { Message } from './message.ts';

export interface Envelope extends Message {
  /** The same at every try, so that a mail that came twice can be told. */
  readonly id: string;
  readonly to: string;
  readonly senderName: string;
}

/** The way that mails take. */
export interface Transport {
  /** Done when whoever is next has taken it over. */
  send(mail: Envelope): Promise<void>;
  close(): Promise<void>;
}
