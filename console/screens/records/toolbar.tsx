import { Braces, Plus, Search, X } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { messageOf, recordsOf } from '../../api.ts';
import { countText } from '../../format.ts';
import { findField, isMoment, labelOfField, relationTarget } from '../../model/fields.ts';
import { useLabels } from '../../model/labels.ts';
import {
  type Condition,
  type ListQuery,
  whereOf,
  writeApiQuery,
  writeListQuery,
} from '../../model/list-query.ts';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { wholeMomentText } from '../../parts/time.tsx';
import { toast } from '../../parts/toasts.tsx';
import { usePhone } from '../../parts/use-media.ts';
import { texts } from '../../texts.ts';
import { QueryText } from './query-text.tsx';
import type { RecordList } from './record-list.ts';
import { SortSelect } from './sort-select.tsx';

interface ToolbarProps {
  readonly project: string;
  readonly definition: Definition;
  readonly all: readonly Definition[];
  readonly query: ListQuery;
  readonly list: RecordList;
  readonly shown: number;
  readonly onChange: (next: Partial<ListQuery>) => void;
  readonly onFilter: (condition: Partial<Condition> & { readonly at?: number }) => void;
}

/** Search and filters, as chips or as an API query to edit. */
export function Toolbar(props: ToolbarProps) {
  const { definition, query, onChange, onFilter } = props;
  const [asText, setAsText] = useState(false);
  const phone = usePhone();
  return (
    <div class="toolbar">
      <SearchBox search={query.search} onSearch={(search) => onChange({ search })} />
      {asText ? (
        <QueryText
          key={writeListQuery({ ...query, open: undefined })}
          definition={definition}
          query={query}
          onChange={onChange}
        />
      ) : (
        <div class="chips">
          {query.conditions.map((condition, at) => (
            <Chip
              key={at}
              {...props}
              condition={condition}
              onEdit={() => onFilter({ ...condition, at })}
              onRemove={() => onChange({ conditions: query.conditions.filter((_, index) => index !== at) })}
            />
          ))}
          <Button kind="quiet" icon={Plus} onClick={() => onFilter({})}>
            {texts.list.addFilter}
          </Button>
        </div>
      )}
      <Button
        kind="quiet"
        icon={Braces}
        label={texts.list.asText}
        pressed={asText}
        onClick={() => setAsText(!asText)}
      />
      {phone && (
        <SortSelect definition={definition} sort={query.sort} onSort={(sort) => onChange({ sort })} />
      )}
      <Count {...props} />
    </div>
  );
}

function SearchBox({ search, onSearch }: { search: string; onSearch: (text: string) => void }) {
  const [text, setText] = useState(search);
  /** The search that this box requested last: any other came from elsewhere, and replaces the typed text. */
  const asked = useRef(search);
  useEffect(() => {
    if (search !== asked.current) setText(search);
    asked.current = search;
  }, [search]);
  const ask = () => {
    if (text === search) return;
    asked.current = text;
    onSearch(text);
  };
  // The rest of the query may have changed by the time the timer fires.
  const latest = useRef(ask);
  latest.current = ask;
  // Searches when the typing pauses.
  useEffect(() => {
    const timer = setTimeout(() => latest.current(), 350);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div class="search">
      <Icon icon={Search} />
      <input
        class="input"
        type="search"
        dir="auto"
        data-key="/"
        aria-label={texts.list.search}
        placeholder={texts.list.search}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && ask()}
      />
    </div>
  );
}

interface ChipProps extends ToolbarProps {
  readonly condition: Condition;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function Chip({ project, definition, all, condition, onEdit, onRemove }: ChipProps) {
  const field = findField(definition, condition.field);
  const target = field && relationTarget(field);
  const isId = target !== undefined;
  const ids = isId ? condition.values.filter((value) => value !== '') : [];
  const labelOf = useLabels(
    project,
    target === undefined ? undefined : all.find(({ id }) => id === target),
    ids,
  );
  const name = field ? labelOfField(field) : condition.field;
  const values = condition.values.map((value) => {
    if (isId) return labelOf(value) ?? value;
    return field && isMoment(field) && !Number.isNaN(Date.parse(value)) ? wholeMomentText(value) : value;
  });
  const text = sentenceOf(name, condition, values);
  return (
    <span class={`chip${field ? '' : ' wrong'}`}>
      <button type="button" class="chip-text cut" title={texts.list.editFilter} onClick={onEdit}>
        {text}
      </button>
      <button type="button" class="chip-remove" aria-label={texts.list.removeFilter(text)} onClick={onRemove}>
        <Icon icon={X} size={12} />
      </button>
    </span>
  );
}

/** `Price at least 10`, `Brand is unset`. */
function sentenceOf(name: string, { operator, values: raw }: Condition, values: readonly string[]): string {
  const unset = raw.length === 1 && raw[0] === '';
  if (unset && operator === '=') return `${name} ${texts.operators.unset}`;
  if (unset && operator === '!=') return `${name} ${texts.operators.set}`;
  const shown = values.map((value) => (value === '' ? texts.operators.unsetValue : value));
  return `${name} ${texts.operators[operator]} ${shown.join(` ${texts.operators.or} `)}`;
}

/** The total is counted only on request. */
function Count({ project, definition, query, list, shown }: ToolbarProps) {
  const [total, setTotal] = useState<{ of: string; count: number }>();
  const [busy, setBusy] = useState(false);
  const asked = writeApiQuery({ ...query, sort: [] });
  const count = async () => {
    setBusy(true);
    try {
      const answer = await recordsOf(project, definition.id).list({
        where: whereOf(query.conditions),
        ...(query.search !== '' && { search: query.search }),
        fields: ['_id'],
        perPage: 1,
      });
      setTotal({ of: asked, count: answer.total });
    } catch (error) {
      toast({ kind: 'bad', text: messageOf(error) });
    }
    setBusy(false);
  };
  if (list.state === 'loading' || (list.state === 'failed' && shown === 0)) return null;
  if (list.state === 'end') return <span class="count quiet">{texts.records(shown)}</span>;
  if (total?.of === asked) {
    return <span class="count quiet">{texts.list.countOf(countText(shown), countText(total.count))}</span>;
  }
  return (
    <span class="count quiet">
      {texts.list.countOfMany(countText(shown))}{' '}
      <Button kind="quiet" busy={busy} onClick={() => void count()}>
        {texts.list.countAll}
      </Button>
    </span>
  );
}
