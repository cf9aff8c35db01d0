interface Connections {
  requestIP(request: Request): { readonly port: number } | null;
}

/** How many are remembered before those that have ended are looked for. */
const fewest = 64;

/** Requests that may last as long as their clients are there. Bun does not say when one has ended, but knows its address until then. */
export class OpenStreams {
  #requests = new Set<Request>();
  #sweepAt = fewest;

  add(request: Request, server: Connections): void {
    if (this.#requests.size >= this.#sweepAt) {
      this.#requests = new Set(this.open(server).keys());
      this.#sweepAt = Math.max(fewest, 2 * this.#requests.size);
    }
    this.#requests.add(request);
  }

  /** With the ports of their clients. */
  open(server: Connections): Map<Request, number> {
    const found = new Map<Request, number>();
    for (const request of this.#requests) {
      const address = server.requestIP(request);
      if (address) found.set(request, address.port);
    }
    return found;
  }
}
