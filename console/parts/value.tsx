import { Check, Minus } from 'lucide';
import type { Definition } from '../../client/admin.ts';
import type { Json } from '../../client/client.ts';
import { type NamedField, relationTarget } from '../model/fields.ts';
import { useLabels } from '../model/labels.ts';
import { texts } from '../texts.ts';
import { Icon } from './icon.tsx';
import { Link } from './link.tsx';
import { Time } from './time.tsx';

interface ValueProps {
  readonly project: string;
  readonly all: readonly Definition[];
  readonly field: NamedField;
  readonly value: Json | undefined;
  /** Links in an endless list are not tab stops, as Tab would never get past them; the record has the same links. */
  readonly inGrid?: boolean;
}

/** Characters of a long value that a list shows: the layout of a megabyte of text would take too long. */
const mostLetters = 160;

const cutText = (text: string) => (text.length > mostLetters ? `${text.slice(0, mostLetters)}…` : text);

/** A value on one line, rendered by the type of its field. */
export function Value({ project, all, field, value, inGrid = false }: ValueProps) {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return null;
  const target = relationTarget(field);
  if (target !== undefined) {
    const ids = (Array.isArray(value) ? value : [value]).map(String);
    const definition = all.find(({ id }) => id === target);
    return <Related {...{ project, definition, ids, inGrid }} />;
  }
  if (field.type === 'boolean') {
    return (
      <span class="flag" title={value ? texts.yes : texts.no}>
        <Icon icon={value ? Check : Minus} />
        <span class="visually-hidden">{value ? texts.yes : texts.no}</span>
      </span>
    );
  }
  if (field.type === 'datetime') return <Time at={String(value)} precise />;
  if (field.type === 'id') return <span class="mono">{String(value)}</span>;
  if (Array.isArray(value)) return <>{cutText(value.map(String).join(', '))}</>;
  return <>{cutText(typeof value === 'object' ? JSON.stringify(value) : String(value))}</>;
}

/** Most related records that are named; of the rest only the number is shown. */
const mostNamed = 5;

interface RelatedProps extends Required<Pick<ValueProps, 'project' | 'inGrid'>> {
  readonly definition: Definition | undefined;
  readonly ids: readonly string[];
}

function Related({ project, definition, ids, inGrid }: RelatedProps) {
  const shown = ids.slice(0, mostNamed);
  const labelOf = useLabels(project, definition, shown);
  return (
    <>
      {shown.map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <Link
            to={`/${project}/${definition?.id ?? ''}`}
            query={`_open=${id}`}
            class="related"
            reachedByTab={!inGrid}
          >
            {cutText(labelOf(id) ?? id)}
          </Link>
        </span>
      ))}
      {ids.length > mostNamed && ` +${ids.length - mostNamed}`}
    </>
  );
}
