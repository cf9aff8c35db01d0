import { UsageError } from '../flags.ts';

/** Reads --url, and removes trailing slashes; '' if it is not set. */
export function readUrl(text: string): string {
  const url = text.replace(/\/+$/, '');
  if (/\/v1$/.test(url)) throw new UsageError(`--url is the address of the server alone: leave out /v1`);
  if (url === '' || (/^https?:\/\/[^\s/]/.test(url) && URL.canParse(url))) return url;
  throw new UsageError(`--url must begin with http:// or https://, not '${url}'`);
}
