import { useEffect, useState } from 'preact/hooks';
import { Skeleton } from '../parts/notes.tsx';
import { texts } from '../texts.ts';

/** Replaces links and images with their targets as tooltips, so that nothing is followed or fetched from elsewhere. */
const harmless = (html: string) =>
  html
    .replaceAll('<a href="', '<a class="link" title="')
    .replace(/<img src="([^"]*)" alt="([^"]*)"[^>]*>/g, '<span class="image" title="$1">[$2]</span>');

/**
 * Rendered Markdown. As strangers may have written it, it is in a sandboxed frame, without scripts and without an origin, and
 * HTML in it is shown as text.
 */
export function MarkdownPreview({ text }: { text: string }) {
  const [html, setHtml] = useState<string>();
  useEffect(() => {
    let over = false;
    void import('micromark').then(({ micromark }) => {
      if (!over) setHtml(harmless(micromark(text)));
    });
    return () => {
      over = true;
    };
  }, [text]);
  if (html === undefined) return <Skeleton lines={4} />;
  const styles = document.querySelector<HTMLLinkElement>('link[rel=stylesheet]')?.href ?? '';
  const theme = document.documentElement.dataset.theme;
  const page = `<!doctype html><html${theme ? ` data-theme="${theme}"` : ''}><link rel="stylesheet" href="${styles}"><body class="prose" dir="auto">${html}`;
  return <iframe class="preview" title={texts.content.preview} sandbox="" srcdoc={page} />;
}
