import { Copy } from 'lucide';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { toast } from './toasts.tsx';

/** Without a secure context there is no clipboard to write to: then the old way. */
export function copyText(text: string): void {
  const tell = (isDone: boolean) =>
    toast(isDone ? { text: texts.copied } : { text: texts.notCopied, kind: 'bad' });
  const byHand = () => tell(copyByHand(text));
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => tell(true), byHand);
  else byHand();
}

/** Whether it was done. What is outside of an open dialog can't be selected, so it goes where the focus is. */
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
