import type { Message } from './message.ts';

export interface Envelope extends Message {
  /** The same at every attempt, so that a duplicate can be recognised. */
  readonly id: string;
  readonly to: string;
  readonly senderName: string;
}

export interface Transport {
  /** Resolves when the next mail server has accepted it. */
  send(mail: Envelope): Promise<void>;
}
