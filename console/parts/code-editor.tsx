import { useEffect, useRef, useState } from 'preact/hooks';
import { Skeleton } from './notes.tsx';

interface CodeEditorProps {
  readonly label: string;
  /** The initial text; later changes of this prop are ignored. */
  readonly start: string;
  readonly onChange?: (text: string) => void;
  readonly readOnly?: boolean;
}

/**
 * A JSON editor, loaded when it is first shown. It is in a shadow root, where CodeMirror adds its styles without a `<style>`
 * element, which the page's content security policy forbids.
 */
export function CodeEditor({ label, start, onChange, readOnly = false }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const changed = useRef(onChange);
  changed.current = onChange;
  const [ready, setReady] = useState(false);
  useEffect(() => {
    let over = false;
    let close: (() => void) | undefined;
    void import('./code-mirror.ts').then(({ mountEditor }) => {
      if (over || !host.current) return;
      const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
      close = mountEditor(root, { label, start, readOnly, onChange: (text) => changed.current?.(text) });
      setReady(true);
    });
    return () => {
      over = true;
      close?.();
    };
  }, []);
  return (
    <div class="code-editor">
      {!ready && <Skeleton lines={6} />}
      <div ref={host} />
    </div>
  );
}
