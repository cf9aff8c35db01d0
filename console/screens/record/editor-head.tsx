import { ChevronDown, ChevronUp, Copy, CopyPlus, Ellipsis, ShieldQuestionMark, Trash2, X } from 'lucide';
import { useRef } from 'preact/hooks';
import type { AnyRecord } from '../../model/fields.ts';
import { labelOf } from '../../model/labels.ts';
import { Button } from '../../parts/button.tsx';
import { copyText } from '../../parts/copy.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Time } from '../../parts/time.tsx';
import { navigate } from '../../router.ts';
import { texts } from '../../texts.ts';
import { leaveBy, useFocus } from './focus.ts';
import type { EditorControl, PanelProps } from './use-editor.ts';

type View = 'form' | 'json';

interface HeadProps extends PanelProps {
  readonly editor: EditorControl;
  readonly view: View;
  /** The JSON does not parse: switching to the form would lose it. */
  readonly unreadable: boolean;
  readonly onView: (view: View) => void;
  readonly onDuplicate: () => void;
  readonly onDelete: () => void;
}

/** The record's name, links to the previous and next one, and its actions. */
export function EditorHead({
  project,
  definition,
  id,
  previous,
  next,
  onGo,
  onClose,
  editor,
  ...rest
}: HeadProps) {
  const { base, changes } = editor;
  const title = base ? labelOf(definition, { ...base, ...changes } as AnyRecord) : texts.record.new;
  const explain = () =>
    base && navigate(`/${project}/${definition.id}/_access`, { query: `record=${base._id}` });
  const head = useRef<HTMLElement>(null);
  useFocus(head, id);
  const go = (way: 'previous' | 'next', to: string | undefined) => {
    if (to === undefined) return;
    leaveBy(way, to);
    onGo(to);
  };
  return (
    <>
      <header class="panel-head" ref={head}>
        <h2 class="cut grow" dir="auto" title={title} tabIndex={-1}>
          {title}
        </h2>
        <Button
          kind="quiet"
          icon={ChevronUp}
          label={texts.record.previous}
          disabled={previous === undefined}
          onClick={() => go('previous', previous)}
        />
        <Button
          kind="quiet"
          icon={ChevronDown}
          label={texts.record.next}
          disabled={next === undefined}
          onClick={() => go('next', next)}
        />
        {base && (
          <Menu
            label={texts.more}
            icon={Ellipsis}
            items={[
              { label: texts.record.duplicate, icon: CopyPlus, run: rest.onDuplicate },
              { label: texts.record.copyId, icon: Copy, run: () => copyText(base._id) },
              {
                label: texts.record.copyJson,
                icon: Copy,
                run: () => copyText(JSON.stringify(base, null, 2)),
              },
              { label: texts.record.whoSees, icon: ShieldQuestionMark, run: explain },
              'line',
              { label: texts.remove, icon: Trash2, danger: true, run: rest.onDelete },
            ]}
          />
        )}
        <Button kind="quiet" icon={X} label={texts.close} onClick={onClose} />
      </header>
      <div class="panel-tabs" role="tablist" aria-label={texts.record.views}>
        {(['form', 'json'] as const).map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            aria-selected={rest.view === one}
            disabled={one === 'form' && rest.unreadable}
            title={one === 'form' && rest.unreadable ? texts.json.unreadable : undefined}
            onClick={() => rest.onView(one)}
          >
            {texts.record[one]}
          </button>
        ))}
        {base && (
          <span class="quiet panel-times">
            {texts.record.changedAt} <Time at={base._updatedAt} precise />
          </span>
        )}
      </div>
    </>
  );
}
