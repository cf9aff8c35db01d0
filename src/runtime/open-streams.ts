interface Connections {
  requestIP(request: Request): { readonly port: number } | null;
}

/** Requests that are remembered before ended ones are first swept. */
const fewest = 64;

/** Requests that may last as long as their clients are connected. Bun reports no end, but knows the address of one until then. */
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

  /** The open ones, with the ports of their clients. */
  open(server: Connections): Map<Request, number> {
    const found = new Map<Request, number>();
    for (const request of this.#requests) {
      const address = server.requestIP(request);
      if (address) found.set(request, address.port);
    }
    return found;
  }
}
