import type { LinkKind, MailSettings } from '../model/mail-settings.ts';
import type { MailKind } from '../store/account-mails.ts';
import { texts } from './texts.ts';

/** The content of a mail. */
export interface Message {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** The values for the names in braces. Some were written by strangers. */
export type MailValues = Readonly<Record<string, string>>;

/** Writes a mail, from the project's own template if it has one. */
export function writeMessage(kind: MailKind, values: MailValues, settings: MailSettings): Message {
  const own = settings.templates?.[kind as LinkKind];
  const subject = own?.subject ?? texts[kind].subject;
  const text = own?.text ?? texts[kind].text;
  const safe = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, sanitised(name, value)]),
  );
  return {
    subject: fill(subject, safe, (value) => value),
    text: fill(text, safe, (value) => value),
    html: htmlOf(text, safe),
  };
}

/** Fills in all values in one pass, so that braces in a value are not taken for names. */
function fill(template: string, values: MailValues, write: (value: string, name: string) => string): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    return value === undefined ? whole : write(value, name);
  });
}

const longest = 80;
/** Values that are trusted: validated before, or written by those who run the project. */
const ours: ReadonlySet<string> = new Set(['link', 'email', 'newEmail', 'project']);

/**
 * Makes a value one short line without anything that a mail program would turn into a link, so that nobody can use our mails to
 * send messages of their own.
 */
function sanitised(name: string, value: string): string {
  if (ours.has(name)) return value;
  const line = value.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  const short = [...line].length > longest ? `${[...line].slice(0, longest).join('')}…` : line;
  return short
    .replaceAll(/:\/+/g, ': ')
    .replaceAll(/\.(?=[^\s.])/g, '. ')
    .replaceAll('@', ' at ');
}

function htmlOf(template: string, values: MailValues): string {
  const paragraphs = template
    .trim()
    .split(/\r?\n\s*\r?\n/)
    .map((part) => `<p>${fill(escaped(part), values, linked).replaceAll(/\r?\n/g, '<br>\n')}</p>`);
  return `<!doctype html>\n<html><head><meta charset="utf-8"></head>\n<body>\n${paragraphs.join('\n')}\n</body></html>\n`;
}

function linked(value: string, name: string): string {
  const text = escaped(value);
  return name === 'link' ? `<a href="${text}">${text}</a>` : text;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
