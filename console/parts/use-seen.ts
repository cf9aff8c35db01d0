import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Whether it has come into sight: what a long list asks for each of its rows waits for that. */
export function useSeen(ref: RefObject<Element | null>): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return seen;
}
