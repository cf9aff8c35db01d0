import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mailOf } from './mail-of.ts';
import type { Transport } from './transport.ts';

/** For development: each mail is a file, to be opened with any mail program. */
export async function fileTransport(directory: string, from: string): Promise<Transport> {
  const { createTransport } = await import('nodemailer');
  const mailer = createTransport({ streamTransport: true, buffer: true });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return {
    async send(mail) {
      const { message } = await mailer.sendMail(mailOf(mail, from));
      const path = join(directory, `${mail.id}.eml`);
      await writeFile(`${path}.new`, message as Buffer, { mode: 0o600 });
      await rename(`${path}.new`, path); // so that programs that watch the folder find only complete mails
    },
  };
}
