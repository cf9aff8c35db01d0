import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Logo } from '../../shell/logo.tsx';
import { texts } from '../../texts.ts';

/** The page layout for users who are not signed in. */
export function Gate({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · ${texts.product}`;
  }, [title]);
  return (
    <main class="gate">
      <div class="gate-box">
        <p class="brand">
          <Logo /> {texts.product}
        </p>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
