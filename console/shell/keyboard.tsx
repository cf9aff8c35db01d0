import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { isShortcut } from '../parts/keys.ts';
import { texts } from '../texts.ts';

const keys = Object.entries(texts.keyboard.keys);

/**
 * `/` focuses the search, `?` shows the shortcuts, Ctrl+S saves what the screen has to save. Single keys work only outside of
 * text controls, and never change data.
 */
export function Keyboard() {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (isShortcut(event, 's')) save(event);
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

/** A screen that has a button for this does not let the browser save the page, not even while there is nothing to save. */
function save(event: KeyboardEvent): void {
  const button = document.querySelector<HTMLButtonElement>('[data-key="s"]');
  if (!button || event.defaultPrevented || document.querySelector('dialog[open]')) return;
  event.preventDefault();
  if (!event.repeat) button.click();
}
