import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

interface FoldProps {
  readonly summary: string;
  readonly class?: string;
  /** Opens it: something inside has an error. */
  readonly wrong?: boolean;
  readonly children: ComponentChildren;
}

export function Fold({ summary, wrong = false, children, ...rest }: FoldProps) {
  const [open, setOpen] = useState(wrong);
  useEffect(() => {
    if (wrong) setOpen(true);
  }, [wrong]);
  return (
    <details class={rest.class} open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {children}
    </details>
  );
}
