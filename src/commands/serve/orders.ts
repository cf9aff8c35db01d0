import type { Channel } from '../../channel.ts';

/** Not a flag: the parent sets it for each worker, to the worker's number. */
export const workerMark = 'VITRINE_WORKER';

/** Messages from the parent to a worker. */
export type Order =
  /** Port 0: any free port. */
  { readonly kind: 'listen'; readonly port: number } | { readonly kind: 'stop' };

/** Messages from a worker to its parent. */
export type Report =
  /** The worker can listen as soon as it gets a port. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'listening'; readonly port: number }
  /** The worker exits now, without having listened. */
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
        () => {}, // the exit of a process is noticed elsewhere
      ),
  };
}
