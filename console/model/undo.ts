import { messageOf } from '../api.ts';
import { isShortcut } from '../parts/keys.ts';
import { type Toast, toast } from '../parts/toasts.tsx';
import { texts } from '../texts.ts';

/** The last deeds of this tab, newest last. Undoing one sends its opposite, or keeps it from being sent. */
interface Deed {
  readonly what: string;
  readonly undo: () => Promise<void>;
  readonly hide: () => void;
}

const deeds: Deed[] = [];
const mostKept = 50;

/** Notes what was done, and offers to undo it. What it gives ends that: it can't be undone any more. */
export function done(
  what: string,
  undo: () => Promise<void>,
  look: Pick<Toast, 'time' | 'countdown'> = {},
): () => void {
  const action = { label: texts.undo, run: () => void undoDeed(deed) };
  const deed: Deed = { what, undo, hide: toast({ ...look, text: what, action }) };
  deeds.push(deed);
  if (deeds.length > mostKept) deeds.shift();
  return () => void take(deed);
}

/** Whether it was still there. */
function take(deed: Deed): boolean {
  const at = deeds.indexOf(deed);
  if (at < 0) return false;
  deeds.splice(at, 1);
  deed.hide();
  return true;
}

/** Whoever signs in next is to bring nothing of it back. */
export function forgetDeeds(): void {
  for (const deed of [...deeds]) take(deed);
}

async function undoDeed(deed: Deed): Promise<void> {
  if (!take(deed)) return;
  try {
    await deed.undo();
    toast({ text: texts.undone(deed.what) });
  } catch (error) {
    toast({ kind: 'bad', text: messageOf(error) });
  }
}

/** Ctrl+Z, or ⌘Z, outside of whatever text is edited in: there it is the browser's. */
document.addEventListener('keydown', (event) => {
  if (!isShortcut(event, 'z')) return;
  const target = event.target as HTMLElement;
  if (target.isContentEditable || target.shadowRoot || target.matches('input, textarea, select')) return;
  const last = deeds.at(-1);
  if (!last || document.querySelector('dialog[open]')) return;
  event.preventDefault();
  void undoDeed(last);
});
