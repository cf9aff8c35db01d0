import { UsageError } from '../flags.ts';

/** Where a server is, as --url says it, without a slash at its end; '' where it says nothing. */
export function readUrl(text: string): string {
  const url = text.replace(/\/+$/, '');
  if (url === '' || (/^https?:\/\/[^\s/]/.test(url) && URL.canParse(url))) return url;
  throw new UsageError(`--url must begin with http:// or https://, not '${url}'`);
}
