import type { SendMailOptions } from 'nodemailer';
import type { Envelope } from './transport.ts';

/** A mail as nodemailer takes it, which writes the heads and encodes all that is not plain ASCII. */
export function mailOf({ id, to, senderName, subject, text, html }: Envelope, from: string): SendMailOptions {
  return {
    messageId: `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    from: { name: senderName, address: from },
    to: { name: '', address: to },
    subject,
    alternatives: [plainPart(text), { contentType: 'text/html; charset=utf-8', content: html }],
    // Nobody answers a machine, and no machine is to answer this.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  };
}

const longestLine = 900;

/**
 * What any server takes as it is goes as it is: links stay whole for whoever looks at the mail itself, where nodemailer would
 * break each line of more than 76 characters.
 */
function plainPart(text: string): { raw: string } | { contentType: string; content: string } {
  const lines = text.split(/\r?\n/);
  const type = 'text/plain; charset=utf-8';
  const isPlain = lines.every((line) => line.length <= longestLine && /^[\t\x20-\x7e]*$/.test(line));
  if (!isPlain) return { contentType: type, content: text };
  return { raw: [`Content-Type: ${type}`, 'Content-Transfer-Encoding: 7bit', '', ...lines, ''].join('\r\n') };
}
