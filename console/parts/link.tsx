import type { ComponentChildren } from 'preact';
import { hrefOf, navigate } from '../router.ts';

interface LinkProps {
  readonly to: string;
  readonly query?: string;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly current?: boolean;
  readonly label?: string;
  readonly reachedByTab?: boolean;
}

/** A real link, so that it can be opened in another tab; a plain click navigates without reloading the page. */
export function Link({ to, query = '', children, current, label, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to, { query });
  };
  return (
    <a
      href={hrefOf(to, query)}
      class={rest.class}
      aria-current={current ? 'page' : undefined}
      aria-label={label}
      title={label}
      tabIndex={rest.reachedByTab === false ? -1 : undefined}
      onClick={follow}
    >
      {children}
    </a>
  );
}
