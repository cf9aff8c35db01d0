import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';

export interface ButtonProps {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger';
  readonly icon?: IconNode;
  readonly children?: ComponentChildren;
  /** The accessible name of a button that shows only an icon. */
  readonly label?: string;
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  readonly busy?: boolean;
  readonly pressed?: boolean;
  readonly onClick?: (event: MouseEvent) => void;
  readonly form?: string;
  /** Ctrl+S does what this button does. */
  readonly saves?: boolean;
  readonly class?: string;
}

export function Button({
  kind = 'plain',
  icon,
  children,
  label,
  busy,
  pressed,
  saves,
  ...rest
}: ButtonProps) {
  const alone = children === undefined;
  return (
    <button
      type={rest.type ?? 'button'}
      class={`button ${kind}${alone ? ' alone' : ''}${busy ? ' busy' : ''} ${rest.class ?? ''}`}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      aria-busy={busy}
      disabled={(rest.disabled ?? false) || (busy ?? false)}
      onClick={rest.onClick}
      form={rest.form}
      data-key={saves ? 's' : undefined}
    >
      {icon && <Icon icon={icon} />}
      {children}
    </button>
  );
}
