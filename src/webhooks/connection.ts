import type { TLSSocket } from 'node:tls';
import { endFinder, type FindEnd } from './answer-body.ts';
import { type AnswerHead, readAnswerHead } from './answer-head.ts';

/** Most bytes of a body that are read and discarded, so that the connection can be reused; after more it is closed. */
const mostDiscarded = 64 * 1024;
/** Most milliseconds that this may take. */
const longestDiscard = 1_000;

/** A request whose answer is not complete. */
interface Exchange {
  readonly answered: (head: AnswerHead) => void;
  readonly failed: (error: Error) => void;
  /** Received parts of the head, until it is complete. */
  readonly pieces: Buffer[];
  /** Set when the head is complete. */
  body?: { readonly findEnd: FindEnd; readonly timer: NodeJS.Timeout; length: number };
}

/** A connection to a receiver whose certificate was verified, for one request at a time. */
export class Connection {
  readonly #socket: TLSSocket;
  #exchange: Exchange | undefined;
  #isClosed = false;
  /** Called when the answer is complete and nothing came after it. */
  readonly #onFree: (connection: Connection) => void;

  constructor(socket: TLSSocket, onFree: (connection: Connection) => void) {
    this.#socket = socket;
    this.#onFree = onFree;
    socket.on('data', (piece: Buffer) => this.#take(piece));
    socket.on('error', (error: Error) => this.#close(error));
    socket.on('close', () => this.#close(new Error('the connection was closed before an answer')));
    socket.on('end', () => this.close());
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#close(new Error('the connection was closed before an answer'));
  }

  /** Sends a request. Resolves with the head of the answer; rejects with NothingAnswered if not a byte of it came. */
  exchange(request: string, over: AbortSignal): Promise<AnswerHead> {
    return new Promise((resolve, reject) => {
      const broken = () => this.close();
      const ending = <T>(settle: (value: T) => void) => {
        return (value: T) => {
          over.removeEventListener('abort', broken);
          settle(value);
        };
      };
      this.#exchange = { answered: ending(resolve), failed: ending(reject), pieces: [] };
      over.addEventListener('abort', broken);
      if (over.aborted || this.#isClosed) this.close();
      else this.#socket.write(request);
    });
  }

  #close(error: Error): void {
    this.#isClosed = true;
    this.#socket.destroy();
    const exchange = this.#exchange;
    this.#exchange = undefined;
    clearTimeout(exchange?.body?.timer);
    exchange?.failed(exchange.pieces.length > 0 ? error : new NothingAnswered(error));
  }

  #take(piece: Buffer): void {
    const exchange = this.#exchange;
    try {
      // Data without a request.
      if (!exchange) this.close();
      else if (exchange.body) this.#discard(exchange.body, piece);
      else this.#takeHead(exchange, piece);
    } catch (error) {
      this.#close(error instanceof Error ? error : new Error('the answer is not HTTP/1.1'));
    }
  }

  #takeHead(exchange: Exchange, piece: Buffer): void {
    exchange.pieces.push(piece);
    const bytes = exchange.pieces.length === 1 ? piece : Buffer.concat(exchange.pieces);
    const read = readAnswerHead(bytes, Date.now());
    if (!read) return;
    const timer = setTimeout(() => this.close(), longestDiscard).unref();
    exchange.body = { findEnd: endFinder(read.body), timer, length: 0 };
    exchange.pieces.length = 0;
    exchange.answered(read.head);
    this.#discard(exchange.body, bytes.subarray(read.length));
  }

  #discard(body: NonNullable<Exchange['body']>, piece: Buffer): void {
    body.length += piece.length;
    const beyond = body.length > mostDiscarded ? 'too much' : body.findEnd(piece);
    if (beyond === undefined) return;
    if (beyond !== 0) {
      this.close();
      return;
    }
    clearTimeout(body.timer);
    this.#exchange = undefined;
    this.#onFree(this);
  }
}

/** The connection ended before a byte of an answer. */
export class NothingAnswered extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}
