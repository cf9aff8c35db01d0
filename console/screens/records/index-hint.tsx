import { Gauge } from 'lucide';
import type { Definition } from '../../../client/admin.ts';
import { admin } from '../../api.ts';
import { isIndexed } from '../../model/fields.ts';
import type { ListQuery } from '../../model/list-query.ts';
import { Icon } from '../../parts/icon.tsx';
import { useQuery } from '../../queries.ts';
import { usePlace } from '../../router.ts';
import { texts } from '../../texts.ts';

/** From so many records on, reading all of them is noticed. */
const noticed = 20_000;

/** A filter or sort without an index reads the whole collection: says so where that matters. */
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
  if (slow.length === 0 || !data || data.records < noticed) return null;
  return (
    <p class="index-hint note warn">
      <Icon icon={Gauge} /> {texts.list.indexHint(slow.join(', '))}
    </p>
  );
}
