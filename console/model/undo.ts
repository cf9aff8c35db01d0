import { messageOf } from '../api.ts';
import { isShortcut } from '../parts/keys.ts';
import { type Toast, toast } from '../parts/toasts.tsx';
import { texts } from '../texts.ts';

/** An action that can be undone, by sending its opposite or by keeping it from being sent. */
interface Deed {
  readonly what: string;
  readonly undo: () => Promise<void>;
  readonly hide: () => void;
}

/** Newest last. */
const deeds: Deed[] = [];
const mostKept = 50;

/** Notes an action, and offers to undo it. Returns a function that withdraws the offer. */
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

/** Returns whether it was still there. */
function take(deed: Deed): boolean {
  const at = deeds.indexOf(deed);
  if (at < 0) return false;
  deeds.splice(at, 1);
  deed.hide();
  return true;
}

/** Nobody who signs in next may undo what somebody else did. */
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

/** Ctrl+Z or ⌘Z, except where text is edited: there it belongs to the browser. */
document.addEventListener('keydown', (event) => {
  if (!isShortcut(event, 'z')) return;
  const target = event.target as HTMLElement;
  if (target.isContentEditable || target.shadowRoot || target.matches('input, textarea, select')) return;
  const last = deeds.at(-1);
  if (!last || document.querySelector('dialog[open]')) return;
  event.preventDefault();
  void undoDeed(last);
});
