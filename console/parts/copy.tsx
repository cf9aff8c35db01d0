import { Copy } from 'lucide';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { toast } from './toasts.tsx';

/** Without a secure context there is no clipboard to write to: then the old way. */
export function copyText(text: string): void {
  const confirm = () => toast({ text: texts.copied });
  const byHand = () => {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
    confirm();
  };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(confirm, byHand);
  else byHand();
}

export function CopyButton({ text, label = texts.copy }: { text: string; label?: string }) {
  return <Button kind="quiet" icon={Copy} label={label} onClick={() => copyText(text)} />;
}
