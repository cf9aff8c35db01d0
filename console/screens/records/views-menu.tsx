import { Bookmark, BookmarkPlus, type IconNode, Trash2 } from 'lucide';
import { useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { type ListQuery, writeListQuery } from '../../model/list-query.ts';
import { readItem, writeItem } from '../../model/page-storage.ts';
import { done } from '../../model/undo.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { Menu, type MenuItem } from '../../parts/menu.tsx';
import { texts } from '../../texts.ts';

interface ViewsProps {
  readonly project: string;
  readonly definition: Definition;
  readonly query: ListQuery;
  readonly icon: IconNode;
  readonly onView: (query: string) => void;
}

type Views = Readonly<Record<string, string>>;

/** Named queries, stored in this browser; to share one, share its URL. */
export function ViewsMenu({ project, definition, query, icon, onView }: ViewsProps) {
  const key = `vitrine views ${project}/${definition.id}`;
  const [views, setViews] = useState<Views>(() => readViews(key));
  const [naming, setNaming] = useState(false);
  const keep = (next: Views) => {
    writeItem(key, JSON.stringify(next));
    setViews(next);
  };
  const remove = (name: string) => {
    const { [name]: view = '', ...others } = views;
    keep(others);
    done(texts.list.viewDeleted(name), async () => keep({ ...readViews(key), [name]: view }));
  };
  const now = writeListQuery({ ...query, open: undefined });
  const current = Object.keys(views).find((name) => views[name] === now);
  const items: (MenuItem | 'line')[] = Object.entries(views).map(([name, view]) => ({
    label: name,
    icon: Bookmark,
    checked: name === current,
    run: () => onView(view),
  }));
  if (items.length > 0) items.push('line');
  items.push({ label: texts.list.saveView, icon: BookmarkPlus, run: () => setNaming(true) });
  if (current !== undefined) {
    items.push({
      label: texts.list.deleteView(current),
      icon: Trash2,
      danger: true,
      run: () => remove(current),
    });
  }
  return (
    <>
      <Menu label={texts.list.views} icon={icon} items={items} />
      {naming && (
        <NameView
          taken={Object.keys(views)}
          onClose={() => setNaming(false)}
          onName={(name) => keep({ ...views, [name]: now })}
        />
      )}
    </>
  );
}

function readViews(key: string): Views {
  try {
    const kept: unknown = JSON.parse(readItem(key) ?? '{}');
    return typeof kept === 'object' && kept !== null ? (kept as Views) : {};
  } catch {
    return {};
  }
}

interface NameProps {
  readonly taken: readonly string[];
  readonly onClose: () => void;
  readonly onName: (name: string) => void;
}

function NameView({ taken, onClose, onName }: NameProps) {
  const [name, setName] = useState('');
  const [tried, setTried] = useState(false);
  const footer = (
    <>
      <Button onClick={onClose}>{texts.cancel}</Button>
      <Button kind="primary" type="submit" form="name-view">
        {texts.save}
      </Button>
    </>
  );
  return (
    <Dialog title={texts.list.saveView} onClose={onClose} footer={footer}>
      <form
        id="name-view"
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() === '') return setTried(true);
          onName(name.trim());
          onClose();
        }}
      >
        <TextField
          label={texts.list.viewName}
          hint={taken.includes(name.trim()) ? texts.list.viewTaken : texts.list.viewHint}
          value={name}
          onInput={setName}
          error={tried && name.trim() === '' ? texts.list.noViewName : undefined}
          required
        />
      </form>
    </Dialog>
  );
}
