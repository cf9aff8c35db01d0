import { useEffect, useRef } from 'preact/hooks';

/** For a form: what it was refused for leads to the first control that has a fault. */
export function useFirstFault(error: unknown) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error === undefined) return;
    // In the next frame: what is folded opens first.
    const frame = requestAnimationFrame(() =>
      form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(),
    );
    return () => cancelAnimationFrame(frame);
  }, [error]);
  return form;
}
