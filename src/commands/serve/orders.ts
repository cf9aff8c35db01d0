import type { Channel } from '../../channel.ts';

/** Not a flag: set by the parent for each of its workers, to its number. */
export const workerMark = 'VITRINE_WORKER';

/** Messages from the parent to a worker. */
export type Order =
  /** Port 0: any that is free. */
  { readonly kind: 'listen'; readonly port: number } | { readonly kind: 'stop' };

/** Messages from a worker to its parent. */
export type Report =
  /** It can listen as soon as it gets a port. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'listening'; readonly port: number }
  /** It ends now, without having listened. */
  | { readonly kind: 'failed'; readonly reason: string };

export interface MessageLink<Sent, Received> {
  send(message: Sent): void;
  onMessage(receive: (message: Received) => void): void;
}

export function messagesOver<Sent, Received>(channel: Channel): MessageLink<Sent, Received> {
  return {
    send: (message) => channel.post(JSON.stringify(message)),
    onMessage: (receive) =>
      channel.listen(
        (text) => receive(JSON.parse(text) as Received),
        () => {}, // the end of a process is noticed elsewhere
      ),
  };
}
