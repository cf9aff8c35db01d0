import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { freePort } from '../postgres-server.ts';

export interface Received {
  readonly from: string;
  readonly to: string[];
  readonly text: string;
}

type Mood = 'good' | 'refuses' | 'dropsAfterData' | 'silent' | 'slow';

/** A real server of mails, in whatever mood a test wants it. */
export class MailServer {
  readonly received: Received[] = [];
  /** How often a client connected. */
  connections = 0;
  mood: Mood = 'good';
  #server: SMTPServer | undefined;
  #port = 0;

  get port(): number {
    return this.#port;
  }

  /** At the same port as before, where it was up already: one that nobody else gets while it is down. */
  async up(): Promise<void> {
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      logger: false,
      closeTimeout: 100,
      disableReverseLookup: true, // who connects is no matter, and a name server may take its time
      onConnect: (_session, done) => {
        if (this.mood === 'silent') return; // no greeting, ever
        setTimeout(done, this.mood === 'slow' ? 700 : 0);
      },
      onRcptTo: (_address, _session, done) => {
        if (this.mood === 'refuses') done(Object.assign(new Error('No such user'), { responseCode: 550 }));
        else done();
      },
      onData: (stream, session, done) => this.#take(stream, session, done),
    });
    server.on('error', () => {}); // of clients that went away
    // Not in onConnect, which comes 100 ms later, and not at all for a client that has left by then.
    server.server.on('connection', () => {
      this.connections += 1;
    });
    this.#server = server;
    this.#port ||= await freePort();
    await new Promise<void>((resolve, reject) => {
      server.server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
  }

  async down(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  #take(stream: NodeJS.ReadableStream, { envelope }: SMTPServerSession, done: () => void): void {
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => {
      const text = Buffer.concat(parts).toString();
      const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
      this.received.push({ from, to: envelope.rcptTo.map(({ address }) => address), text });
      if (this.mood === 'dropsAfterData') {
        for (const one of this.#server?.connections ?? []) {
          (one as unknown as { _socket: { destroy(): void } })._socket.destroy();
        }
      } else done();
    });
  }
}
