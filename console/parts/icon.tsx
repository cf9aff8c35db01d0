import type { IconNode } from 'lucide';
import { type ComponentChildren, h } from 'preact';

/** Hidden from screen readers: the element around it has a name. */
export function Icon({ icon, size = 16 }: { icon: IconNode; size?: number }) {
  const parts: ComponentChildren[] = icon.map(([tag, attributes], index) =>
    h(tag, { ...attributes, key: index }),
  );
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {parts}
    </svg>
  );
}
