import { useEffect, useRef } from 'preact/hooks';

/** A ref for a form: after an error, the first invalid control gets the focus. */
export function useFirstFault(error: unknown) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error === undefined) return;
    // In the next frame, after a `Fold` around it has opened.
    const frame = requestAnimationFrame(() =>
      form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(),
    );
    return () => cancelAnimationFrame(frame);
  }, [error]);
  return form;
}
