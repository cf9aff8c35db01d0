import { useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { type ListQuery, readableQuery, readListQuery, writeListQuery } from '../../model/list-query.ts';
import { Button } from '../../parts/button.tsx';
import { texts } from '../../texts.ts';
import { allFields } from './columns.ts';

interface QueryTextProps {
  readonly definition: Definition;
  readonly query: ListQuery;
  readonly onChange: (next: Partial<ListQuery>) => void;
}

/** The query of the list as one of the API, to edit. */
export function QueryText({ definition, query, onChange }: QueryTextProps) {
  const [text, setText] = useState(() => readableQuery(writeListQuery({ ...query, open: undefined })));
  const [error, setError] = useState<string>();
  return (
    <form
      class="query-text"
      onSubmit={(event) => {
        event.preventDefault();
        const { conditions, search, sort, columns } = readListQuery(text.trim());
        const faults = faultsOf(definition, { conditions, columns });
        setError(faults.join('; ') || undefined);
        if (faults.length === 0) onChange({ conditions, search, sort, columns });
      }}
    >
      <input
        class="input mono"
        aria-label={texts.list.queryLabel}
        aria-invalid={error !== undefined || undefined}
        placeholder="price>=10&tags=tea&sort=-price"
        value={text}
        spellcheck={false}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit">{texts.list.apply}</Button>
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </form>
  );
}

/** What the list does by itself, and columns that are none: it would leave those out. The API refuses everything else. */
function faultsOf(
  definition: Definition,
  { conditions, columns = [] }: Pick<ListQuery, 'conditions' | 'columns'>,
): string[] {
  const fields = new Set(allFields(definition).map(({ name }) => name));
  const named = new Set(conditions.map(({ field }) => field));
  const pages = ['page', 'perPage', 'after'].filter((name) => named.has(name));
  return [
    ...(pages.length > 0 ? [texts.list.pagesItself(pages.join(', '))] : []),
    ...(named.has('include') ? [texts.list.includesItself] : []),
    ...columns.filter((name) => !fields.has(name)).map(texts.list.noSuchField),
  ];
}
