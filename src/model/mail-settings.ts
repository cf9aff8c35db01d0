import type { Form } from './form.ts';

/** The texts of a project's mails, and where their links lead. */
export interface MailSettings {
  /** The display name of the sender. */
  readonly senderName?: string;
  /** URLs of the app that replace our own pages. */
  readonly links?: Readonly<Partial<Record<LinkKind, string>>>;
  /** Replace the built-in texts. */
  readonly templates?: Readonly<Partial<Record<LinkKind, MailTemplate>>>;
}

export interface MailTemplate {
  readonly subject?: string;
  readonly text?: string;
}

/** The kinds of mails that contain a link. */
export const linkKinds = ['reset', 'verify', 'email', 'invite'] as const;
export type LinkKind = (typeof linkKinds)[number];

/** The placeholders that a template may use. */
const templateNames: Readonly<Record<LinkKind, readonly string[]>> = {
  reset: ['link', 'name', 'email', 'project'],
  verify: ['link', 'name', 'email', 'project'],
  email: ['link', 'name', 'email', 'project'],
  invite: ['link', 'email', 'project', 'workspace'],
};

const longestLink = 2_000;
const longestText = 10_000;

/** Reads the settings as a whole: what is missing becomes unset. */
export function readMailSettings(form: Form, name: string): MailSettings {
  const part = form.object(name, ['senderName', 'links', 'templates']);
  const settings: MailSettings = {
    ...(part.has('senderName') && { senderName: readLine(part, 'senderName', 100) }),
    ...(part.has('links') && { links: readKinds(part, 'links', readLink) }),
    ...(part.has('templates') && { templates: readKinds(part, 'templates', readTemplate) }),
  };
  form.merge(part, name);
  return settings;
}

function readKinds<T>(
  form: Form,
  name: string,
  read: (part: Form, kind: LinkKind) => T,
): Partial<Record<LinkKind, T>> {
  const part = form.object(name, linkKinds);
  const named = linkKinds.filter((kind) => part.has(kind));
  const entries = named.map((kind) => [kind, read(part, kind)] as const);
  form.merge(part, name);
  return Object.fromEntries(entries);
}

/** One line only, because it goes into a mail header. */
function readLine(form: Form, name: string, most: number): string {
  const text = form.text(name, { most });
  if (/\p{Cc}/u.test(text)) form.fault(name, 'must be one line, without control characters');
  return text;
}

function readLink(form: Form, kind: LinkKind): string {
  const text = form.text(kind, { most: longestLink });
  const known = kind === 'invite' ? ['token', 'invitation'] : ['token'];
  if (text === '') return text;
  if (!isWebAddress(text)) {
    form.fault(kind, 'must be an absolute http or https address, such as https://app.example/?token={token}');
  } else if (!text.includes('token={token}') || text.split('{token}').length !== 2) {
    form.fault(kind, 'must have token={token} in it once: the token takes the place of {token}');
  }
  refuseOthers(form, kind, text, known);
  return text;
}

function isWebAddress(text: string): boolean {
  if (!/^https?:\/\//.test(text) || /[\s\p{Cc}<>"'\\]/u.test(text)) return false;
  const url = URL.parse(text.replaceAll(/\{\w*\}/g, 'x'));
  return url !== null && url.username === '' && url.password === '';
}

function readTemplate(form: Form, kind: LinkKind): MailTemplate {
  const part = form.object(kind, ['subject', 'text']);
  const template: MailTemplate = {
    ...(part.has('subject') && { subject: readLine(part, 'subject', 200) }),
    ...(part.has('text') && { text: part.text('text', { most: longestText }) }),
  };
  const { subject = '', text } = template;
  if (subject.includes('{link}')) part.fault('subject', 'must not have {link} in it: the text has it');
  if (text !== undefined && text !== '' && !text.includes('{link}')) {
    part.fault('text', 'must have {link} in it, for without it nobody can go on');
  }
  refuseOthers(part, 'subject', subject, templateNames[kind]);
  refuseOthers(part, 'text', text ?? '', templateNames[kind]);
  form.merge(part, kind);
  return template;
}

/** Refuses unknown placeholders, which would not be replaced. */
function refuseOthers(form: Form, name: string, text: string, known: readonly string[]): void {
  for (const [whole, word = ''] of text.matchAll(/\{(\w*)\}/g)) {
    if (known.includes(word)) continue;
    form.fault(name, `knows no ${whole}: use ${known.map((one) => `{${one}}`).join(', ')}`);
    return;
  }
}
