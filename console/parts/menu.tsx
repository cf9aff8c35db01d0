import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconNode;
  readonly danger?: boolean;
  readonly checked?: boolean;
  readonly disabled?: boolean;
  readonly run: () => void;
}

interface MenuProps {
  readonly label: string;
  readonly icon?: IconNode;
  /** The content of the button; without it, only the icon is shown. */
  readonly children?: ComponentChildren;
  readonly items: readonly (MenuItem | 'line')[];
  readonly class?: string;
}

/** A button that opens a menu of actions: arrow keys move, Enter runs one, Escape closes. */
export function Menu({ label, icon, children, items, ...rest }: MenuProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const choices = () => [...(list.current?.querySelectorAll<HTMLElement>('[role^=menuitem]:enabled') ?? [])];

  const [isAbove, setAbove] = useState(false);
  // Opens upwards if it would not fit below its button and there is room above.
  useLayoutEffect(() => {
    const button = root.current?.getBoundingClientRect();
    if (!open || !button) return setAbove(false);
    const height = list.current?.offsetHeight ?? 0;
    const { top = 0 } = root.current?.closest('.stage')?.getBoundingClientRect() ?? {};
    setAbove(button.bottom + height > innerHeight && button.top - height > top);
  }, [open]);
  useEffect(() => {
    if (!open) return;
    choices()[0]?.focus();
    const outside = (event: Event) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener('pointerdown', outside);
    return () => removeEventListener('pointerdown', outside);
  }, [open]);

  const close = () => {
    setOpen(false);
    root.current?.querySelector('button')?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const all = choices();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const move = (index: number) => all.at(index % all.length)?.focus();
    if (event.key === 'ArrowDown') move(at + 1);
    else if (event.key === 'ArrowUp') move(at - 1);
    else if (event.key === 'Home') move(0);
    else if (event.key === 'End') move(-1);
    else if (event.key === 'Escape') close();
    else if (event.key === 'Tab') setOpen(false);
    else return;
    if (event.key === 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu" ref={root}>
      <button
        type="button"
        class={`button ${children === undefined ? 'quiet alone' : 'plain'} ${rest.class ?? ''}`}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={children === undefined ? label : undefined}
        title={label}
        onClick={() => setOpen(!open)}
      >
        {icon && <Icon icon={icon} />}
        {children}
      </button>
      {open && (
        <div
          id={id}
          class={`menu-list${isAbove ? ' above' : ''}`}
          role="menu"
          aria-label={label}
          ref={list}
          onKeyDown={onKeyDown}
          tabIndex={-1}
        >
          {items.map((item, index) =>
            item === 'line' ? (
              <hr key={index} />
            ) : (
              <button
                key={item.label}
                type="button"
                {...(item.checked === undefined
                  ? { role: 'menuitem' }
                  : { role: 'menuitemcheckbox', 'aria-checked': item.checked })}
                class={item.danger ? 'danger' : ''}
                disabled={item.disabled}
                onClick={() => {
                  close();
                  item.run();
                }}
              >
                <span class="menu-icon">{item.icon && <Icon icon={item.icon} />}</span>
                <span class="cut">{item.label}</span>
                {item.checked && <span class="menu-check">✓</span>}
              </button>
            ),
          )}
        </div>
      )}
    </div>
  );
}
