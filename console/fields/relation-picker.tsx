import { Plus, X } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Definition } from '../../client/admin.ts';
import { recordsOf } from '../api.ts';
import { type AnyRecord, labelField } from '../model/fields.ts';
import { labelOf, labelsOf, useLabels } from '../model/labels.ts';
import type { ControlIds } from '../parts/form-field.tsx';
import { Icon } from '../parts/icon.tsx';
import { isComposing } from '../parts/keys.ts';
import { Link } from '../parts/link.tsx';
import { useQuery } from '../queries.ts';
import { texts } from '../texts.ts';
import { viewerKey } from '../viewer.ts';
import { readRecent, rememberPick } from './recent-picks.ts';

interface PickerProps {
  readonly ids: ControlIds;
  readonly project: string;
  readonly target: Definition | undefined;
  readonly value: readonly string[];
  readonly multiple: boolean;
  readonly onChange: (value: readonly string[]) => void;
  /** Creates a record with this name, and picks it. */
  readonly onCreate?: (name: string) => void;
}

interface Choice {
  readonly id: string;
  readonly label: string;
}

/** Picks records of another collection by name; the search is done by the server. */
export function RelationPicker({ ids, project, target, value, multiple, onChange, onCreate }: PickerProps) {
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const root = useRef<HTMLDivElement>(null);
  const nameOf = useLabels(project, target, value);
  const choices = useChoices(project, target, text, open).filter(({ id }) => !value.includes(id));
  const count = choices.length + (onCreate ? 1 : 0);
  useEffect(() => setActive(0), [text]);
  useEffect(() => {
    if (open) root.current?.querySelector('.choices')?.scrollIntoView({ block: 'nearest' });
  }, [open, choices.length]);

  const pick = ({ id, label }: Choice) => {
    if (target) labelsOf(project, target).set(id, label);
    rememberPick(project, target?.id ?? '', id);
    onChange(multiple ? [...value, id] : [id]);
    setText('');
    if (!multiple) setOpen(false);
  };
  const choose = (at: number) => {
    const choice = choices[at];
    if (choice) pick(choice);
    else if (at === choices.length) {
      setOpen(false);
      onCreate?.(text);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'ArrowDown') {
      setOpen(true);
      setActive((active + 1) % Math.max(1, count));
    } else if (event.key === 'ArrowUp') setActive((active + count - 1) % Math.max(1, count));
    else if (event.key === 'Enter' && open) choose(active);
    else if (event.key === 'Escape' && open) setOpen(false);
    else if (event.key === 'Backspace' && text === '' && value.length > 0)
      return onChange(value.slice(0, -1));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const leave = (event: FocusEvent) => {
    if (!root.current?.contains(event.relatedTarget as Node)) setOpen(false);
  };
  return (
    <div class="picker" ref={root} onFocusOut={leave}>
      <div class="input tokens">
        {value.map((id) => (
          <span key={id} class="token">
            <span class="cut" dir="auto">
              <Link to={`/${project}/${target?.id ?? ''}`} query={`_open=${id}`}>
                {nameOf(id) ?? id}
              </Link>
            </span>
            <button
              type="button"
              aria-label={texts.removeValue(nameOf(id) ?? id)}
              onClick={() => onChange(value.filter((one) => one !== id))}
            >
              <Icon icon={X} size={12} />
            </button>
          </span>
        ))}
        <input
          {...ids}
          role="combobox"
          dir="auto"
          aria-expanded={open}
          aria-controls={`${ids.id}-choices`}
          aria-autocomplete="list"
          aria-activedescendant={open && count > 0 ? `${ids.id}-${active}` : undefined}
          autocomplete="off"
          placeholder={value.length === 0 ? texts.picker.search(target?.name ?? target?.id ?? '') : ''}
          value={text}
          onFocus={() => setOpen(true)}
          onClick={() => setOpen(true)}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setOpen(true);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      {/* Rendered even when closed, because `aria-controls` refers to it. */}
      <div
        id={`${ids.id}-choices`}
        class={`choices${open ? '' : ' closed'}`}
        role="listbox"
        aria-label={texts.picker.choices}
        tabIndex={-1}
      >
        {open &&
          choices.map((choice, at) => (
            <div
              key={choice.id}
              id={`${ids.id}-${at}`}
              class={`choice${at === active ? ' active' : ''}`}
              role="option"
              aria-selected={at === active}
              tabIndex={-1}
              onPointerDown={(event) => {
                event.preventDefault();
                pick(choice);
              }}
            >
              <span class="cut" dir="auto">
                {choice.label}
              </span>
              <span class="quiet mono cut">{choice.id.slice(-8)}</span>
            </div>
          ))}
        {open && onCreate && (
          <div
            id={`${ids.id}-${choices.length}`}
            class={`choice${active === choices.length ? ' active' : ''}`}
            role="option"
            aria-selected={active === choices.length}
            tabIndex={-1}
            onPointerDown={(event) => {
              event.preventDefault();
              choose(choices.length);
            }}
          >
            <Icon icon={Plus} /> {text === '' ? texts.picker.create : texts.picker.createNamed(text)}
          </div>
        )}
      </div>
    </div>
  );
}

const mostChoices = 20;

/** While nothing is typed, the records picked last come first. */
function useChoices(project: string, target: Definition | undefined, text: string, open: boolean): Choice[] {
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(setAsked, text === '' ? 0 : 200, text.trim());
    return () => clearTimeout(timer);
  }, [text]);
  const field = labelField(target);
  const { data, isPlaceholderData } = useQuery({
    key: ['project', project, 'choices', target?.id, asked, viewerKey(project)],
    load: async (signal) => {
      if (!target) return [];
      const { found } = await recordsOf(project, target.id).list({
        ...(asked !== '' && { search: asked }),
        fields: field === undefined ? ['_id'] : [field],
        ...(asked === '' && { sort: ['-_createdAt'] }),
        perPage: mostChoices,
        signal,
      });
      return (found as readonly object[] as readonly AnyRecord[]).map((record) => ({
        id: record._id,
        label: labelOf(target, record),
      }));
    },
    enabled: open && target !== undefined,
    keepLast: true,
    fresh: 5_000,
  });
  const recent = asked === '' && open ? readRecent(project, target?.id ?? '') : [];
  const nameOf = useLabels(project, target, recent);
  const known = recent.flatMap((id) => {
    const label = nameOf(id);
    return typeof label === 'string' ? [{ id, label }] : [];
  });
  const others = (data ?? []).filter(({ id }) => !known.some((one) => one.id === id));
  const found = [...known, ...others];
  // Until the answer for the typed text arrives, the previous one is filtered by it, so that Enter never picks something else.
  const late = isPlaceholderData || text.trim() !== asked;
  const wanted = text.trim().toLowerCase();
  return (late ? found.filter(({ label }) => label.toLowerCase().includes(wanted)) : found).slice(
    0,
    mostChoices,
  );
}
