import { messageOf } from '../api.ts';
import { toast } from '../parts/toasts.tsx';
import { texts } from '../texts.ts';

/** The last deeds of this tab, newest last. Undoing one sends its opposite. */
interface Deed {
  readonly what: string;
  readonly undo: () => Promise<void>;
}

const deeds: Deed[] = [];
const mostKept = 50;

/** Notes what was done, and offers to undo it. */
export function done(what: string, undo: () => Promise<void>): void {
  const deed = { what, undo };
  deeds.push(deed);
  if (deeds.length > mostKept) deeds.shift();
  toast({ text: what, action: { label: texts.undo, run: () => void undoDeed(deed) } });
}

async function undoDeed(deed: Deed): Promise<void> {
  const at = deeds.indexOf(deed);
  if (at < 0) return;
  deeds.splice(at, 1);
  try {
    await deed.undo();
    toast({ text: texts.undone(deed.what) });
  } catch (error) {
    toast({ kind: 'bad', text: messageOf(error) });
  }
}

/** Ctrl+Z, or ⌘Z, outside of whatever text is edited in: there it is the browser's. */
document.addEventListener('keydown', (event) => {
  if (event.key.toLowerCase() !== 'z' || event.shiftKey || !(event.ctrlKey || event.metaKey)) return;
  const target = event.target as HTMLElement;
  if (target.isContentEditable || target.shadowRoot || target.matches('input, textarea, select')) return;
  const last = deeds.at(-1);
  if (!last || document.querySelector('dialog[open]')) return;
  event.preventDefault();
  void undoDeed(last);
});
