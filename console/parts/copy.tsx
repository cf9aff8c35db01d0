import { Copy } from 'lucide';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { toast } from './toasts.tsx';

/** Outside of a secure context there is no `navigator.clipboard`: falls back to `execCommand`. */
export function copyText(text: string): void {
  const tell = (isDone: boolean) =>
    toast(isDone ? { text: texts.copied } : { text: texts.notCopied, kind: 'bad' });
  const byHand = () => tell(copyByHand(text));
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => tell(true), byHand);
  else byHand();
}

/** Returns whether it worked. Nothing outside of an open modal dialog can be selected, so the text area goes into that. */
function copyByHand(text: string): boolean {
  const { activeElement: before } = document;
  const area = document.createElement('textarea');
  area.value = text;
  (before?.closest('dialog') ?? document.body).append(area);
  area.select();
  const isDone = document.execCommand('copy');
  area.remove();
  if (before instanceof HTMLElement) before.focus();
  return isDone;
}

export function CopyButton({ text, label = texts.copy }: { text: string; label?: string }) {
  return <Button kind="quiet" icon={Copy} label={label} onClick={() => copyText(text)} />;
}
