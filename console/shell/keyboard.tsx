import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { texts } from '../texts.ts';

const keys = Object.entries(texts.keyboard.keys);

/** `/` focuses the search, `?` shows the shortcuts. Single keys work only outside of text controls, and never change data. */
export function Keyboard() {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const target = event.target as HTMLElement;
      if (target.matches('input, textarea, select') || target.isContentEditable || target.shadowRoot) return;
      if (document.querySelector('dialog[open]')) return;
      if (event.key === '?') setShown(true);
      else if (event.key === '/') document.querySelector<HTMLElement>('[data-key="/"]')?.focus();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
  if (!shown) return null;
  return (
    <Dialog title={texts.keyboard.title} onClose={() => setShown(false)}>
      <dl class="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
