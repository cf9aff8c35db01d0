import { Gauge } from 'lucide';
import { useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { admin, messageOf } from '../../api.ts';
import { changeCollection } from '../../change-collection.ts';
import { isIndexed } from '../../model/fields.ts';
import type { ListQuery } from '../../model/list-query.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { toast } from '../../parts/toasts.tsx';
import { useQuery } from '../../queries.ts';
import { usePlace } from '../../router.ts';
import { texts } from '../../texts.ts';

/** Number of records from which on a full scan is noticeably slow. */
const noticed = 20_000;

/** Warns, in large collections, that a filter or sort without an index reads all records. */
export function IndexHint({ definition, query }: { definition: Definition; query: ListQuery }) {
  const project = usePlace().path.split('/')[1] ?? '';
  const names = [
    ...query.conditions.map(({ field }) => field),
    ...query.sort.map((name) => name.replace(/^-/, '')),
  ];
  const slow = [...new Set(names)].filter((name) => !isIndexed(definition, name));
  const { data } = useQuery({
    key: ['project', project, 'stats', definition.id],
    load: (signal) => admin.project(project).collections.stats(definition.id, { signal }),
    enabled: slow.length > 0,
  });
  const [busy, setBusy] = useState(false);
  if (slow.length === 0 || !data || data.records < noticed) return null;
  const add = async () => {
    setBusy(true);
    try {
      await changeCollection(project, definition.id, (now) => withIndexes(now, slow));
      toast({ text: texts.list.indexAdded(slow.join(', ')) });
    } catch (error) {
      toast({ kind: 'bad', text: messageOf(error) });
    }
    setBusy(false);
  };
  return (
    <div class="index-hint note warn">
      <Icon icon={Gauge} />
      <p>{texts.list.indexHint(slow.join(', '))}</p>
      <Button busy={busy} onClick={() => void add()}>
        {texts.list.addIndex}
      </Button>
    </div>
  );
}

function withIndexes(definition: Definition, names: readonly string[]): Definition {
  const fields = Object.entries(definition.fields ?? {}).map(([name, field]) =>
    names.includes(name) ? [name, { ...field, index: true }] : [name, field],
  );
  return { ...definition, fields: Object.fromEntries(fields) };
}
