import type { Channel } from '../channel.ts';

/** orders: commands and notices between the parent and a worker. */
type LineName = 'orders' | 'writes' | 'sign-ins' | 'metrics';

/** Either end of the connection between a process and one that it started. */
interface Peer {
  readonly connected: boolean;
  send?(message: unknown, handle: undefined, options: undefined, sent: () => void): boolean;
  on(event: 'message', received: (message: unknown) => void): unknown;
  on(event: 'disconnect', ended: () => void): unknown;
}

interface Listening {
  received(text: string): void;
  ended(): void;
}

/** Several lines over the one connection between the parent and a worker. */
export class Wire {
  readonly #peer: Peer;
  readonly #lines = new Map<string, Listening>();

  constructor(peer: Peer) {
    this.#peer = peer;
    peer.on('message', (message) => {
      const [name, text] = message as [string, string];
      this.#lines.get(name)?.received(text);
    });
    peer.on('disconnect', () => {
      for (const { ended } of this.#lines.values()) ended();
    });
  }

  line(name: LineName): Channel {
    return {
      post: (text) => {
        // Messages to a peer that is gone are not needed any more.
        if (this.#peer.connected) this.#peer.send?.([name, text], undefined, undefined, () => {});
      },
      listen: (received, ended) => void this.#lines.set(name, { received, ended }),
      close: async () => {},
    };
  }
}
