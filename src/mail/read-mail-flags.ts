import { isEmail } from '../model/fields/email.ts';
import { fileTransport } from './file-transport.ts';
import { smtpTransport } from './smtp-transport.ts';
import type { Transport } from './transport.ts';

export interface MailFlags {
  /** smtp://user:secret@host:587, smtps://… or file:DIR; empty for no mail. */
  readonly mail: string;
  readonly from: string;
  readonly publicUrl: string;
}

export interface MailSetup {
  /** The public URL of this server, without a trailing slash. */
  readonly publicUrl: string;
  open(): Promise<Transport>;
}

/** Reads the flags; a string says what is wrong with them. */
export function readMailFlags({ mail, from, publicUrl }: MailFlags): MailSetup | string | undefined {
  const base = publicUrl === '' ? undefined : readBase(publicUrl);
  if (publicUrl !== '' && base === undefined)
    return `--public-url must be an address such as https://data.example.com, not '${publicUrl}'`;
  if (from !== '' && !isEmail(from))
    return `--mail-from must be an address such as noreply@example.com, not '${from}'`;
  if (mail === '') return undefined;
  const open = readWay(mail, from);
  if (open === undefined)
    return '--mail must be smtp://user:secret@host:587, smtps://user:secret@host or file:DIR';
  if (from === '') return '--mail needs --mail-from too, the address that mails come from';
  if (base === undefined) return '--mail needs --public-url too: the links in mails begin with it';
  return { publicUrl: base, open };
}

/** A URL without a trailing slash; undefined if it is invalid. */
export function readBase(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') return undefined;
  return url.href.replace(/\/+$/, '');
}

function readWay(text: string, from: string): MailSetup['open'] | undefined {
  if (text.startsWith('file:')) {
    const directory = text.slice('file:'.length);
    return directory === '' ? undefined : () => fileTransport(directory, from);
  }
  const url = URL.parse(text);
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return undefined;
  if (url.search !== '' || url.hash !== '' || !/^\/?$/.test(url.pathname)) return undefined;
  const secure = url.protocol === 'smtps:';
  try {
    const server = {
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
      secure,
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
    };
    return () => smtpTransport(server, from);
  } catch {
    return undefined; // invalid percent-encoding
  }
}
