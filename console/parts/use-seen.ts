import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Whether the element has been visible: rows of a long list wait for that before they fetch their details. */
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
