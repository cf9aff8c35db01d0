import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { texts } from '../texts.ts';

export interface PageProps {
  readonly title: string;
  /** The title of the browser tab, if it differs from the page's. */
  readonly called?: string;
  readonly children: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly intro?: ComponentChildren;
  /** Fills the height of the window and scrolls inside. */
  readonly full?: boolean;
  /** Uses more width than is good for reading text. */
  readonly wide?: boolean;
  /** Tabs, beside the title. */
  readonly above?: ComponentChildren;
}

export function Page({ title, called = title, children, actions, intro, ...rest }: PageProps) {
  const { full = false, wide = false, above } = rest;
  useEffect(() => {
    document.title = `${called} · ${texts.product}`;
  }, [called]);
  return (
    <main id="content" class={`page${full ? ' full' : ''}${wide ? ' wide' : ''}`} tabIndex={-1}>
      <header class="page-head">
        <div>
          {above}
          <h1>{title}</h1>
          {intro && <p class="quiet">{intro}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </main>
  );
}
