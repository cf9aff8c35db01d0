import { Plus } from 'lucide';
import type { ListQuery } from '../../model/list-query.ts';
import { Button } from '../../parts/button.tsx';
import { Link } from '../../parts/link.tsx';
import { Empty } from '../../parts/notes.tsx';
import { texts } from '../../texts.ts';

interface NoRecordsProps {
  readonly query: ListQuery;
  readonly onClear: () => void;
  readonly onCreate: () => void;
  readonly importAt: string;
}

/** The empty state of the list: there are no records, or none that match. */
export function NoRecords({ query, onClear, onCreate, importAt }: NoRecordsProps) {
  if (query.conditions.length > 0 || query.search !== '') {
    return (
      <Empty title={texts.list.noMatch}>
        <Button onClick={onClear}>{texts.list.clearFilters}</Button>
      </Empty>
    );
  }
  return (
    <Empty title={texts.list.none}>
      <p>{texts.list.noneHint}</p>
      <div class="row">
        <Button kind="primary" icon={Plus} onClick={onCreate}>
          {texts.list.newRecord}
        </Button>
        <Link to={importAt} class="button">
          {texts.list.importFile}
        </Link>
      </div>
    </Empty>
  );
}
