import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../api.ts';
import { toast } from './toasts.tsx';

interface LaterProps {
  readonly load: () => Promise<ComponentType<{ onClose: () => void }>>;
  readonly onClose: () => void;
}

/** A rarely used dialog, loaded when it is opened. */
export function Later({ load, onClose }: LaterProps) {
  const [loaded, setLoaded] = useState<{ readonly Dialog: ComponentType<{ onClose: () => void }> }>();
  useEffect(() => {
    load().then(
      (Dialog) => setLoaded({ Dialog }),
      (error: unknown) => {
        toast({ text: messageOf(error), kind: 'bad' });
        onClose();
      },
    );
  }, []);
  return loaded ? <loaded.Dialog onClose={onClose} /> : null;
}
