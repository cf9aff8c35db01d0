import { mailOf } from './mail-of.ts';
import type { Transport } from './transport.ts';

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte on. */
  readonly secure: boolean;
  readonly user: string;
  readonly password: string;
}

/** Milliseconds to connect and get a greeting, and of silence afterwards. */
const timeouts = { connecting: 10_000, silence: 30_000 };

/** Most bytes of one answer of the server. */
const mostResponse = 64 * 1024;

export async function smtpTransport(
  server: SmtpServer,
  from: string,
  { connecting, silence } = timeouts,
): Promise<Transport> {
  const { createTransport } = await import('nodemailer');
  const { host, port, secure, user, password } = server;
  const mailer = createTransport({
    ...{ host, port, secure },
    ...(user !== '' && { auth: { user, pass: password } }),
    // A password is never sent unencrypted, except to this machine.
    requireTLS: !secure && user !== '' && !isLoopback(host),
    ...{ connectionTimeout: connecting, greetingTimeout: connecting, dnsTimeout: connecting },
    socketTimeout: silence,
    maxResponseSize: mostResponse,
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  return {
    async send(mail) {
      await mailer.sendMail(mailOf(mail, from));
    },
  };
}

const isLoopback = (host: string) => /^(localhost|127(\.\d+){3}|\[?::1\]?)$/.test(host);
