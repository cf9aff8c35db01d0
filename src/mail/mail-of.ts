import type { SendMailOptions } from 'nodemailer';
import type { Envelope } from './transport.ts';

/** A mail in the format of nodemailer, which writes the headers and encodes everything that is not plain ASCII. */
export function mailOf({ id, to, senderName, subject, text, html }: Envelope, from: string): SendMailOptions {
  return {
    messageId: `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    from: { name: senderName, address: from },
    to: { name: '', address: to },
    subject,
    alternatives: [plainPart(text), { contentType: 'text/html; charset=utf-8', content: html }],
    // Suppresses vacation replies and the like.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  };
}

const longestLine = 900;

/**
 * Plain ASCII with short lines is sent as 7bit, so that links stay whole in the source of the mail: nodemailer would break each
 * line of more than 76 characters.
 */
function plainPart(text: string): { raw: string } | { contentType: string; content: string } {
  const lines = text.split(/\r?\n/);
  const type = 'text/plain; charset=utf-8';
  const isPlain = lines.every((line) => line.length <= longestLine && /^[\t\x20-\x7e]*$/.test(line));
  if (!isPlain) return { contentType: type, content: text };
  return { raw: [`Content-Type: ${type}`, 'Content-Transfer-Encoding: 7bit', '', ...lines, ''].join('\r\n') };
}
