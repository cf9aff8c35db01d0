import type { SendMailOptions } from 'nodemailer';
import type { Envelope } from './transport.ts';

/** A mail as nodemailer takes it, which writes the heads and encodes all that is not plain ASCII. */
export function mailOf({ id, to, senderName, subject, text, html }: Envelope, from: string): SendMailOptions {
  return {
    messageId: `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    from: { name: senderName, address: from },
    to: { name: '', address: to },
    ...{ subject, text, html },
    // Nobody answers a machine, and no machine is to answer this.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  };
}
