import { useId, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { recordsOf } from '../../api.ts';
import { type AnyRecord, fieldsOf } from '../../model/fields.ts';
import { labelOf } from '../../model/labels.ts';
import { deleteSoon } from '../../model/pending-deletes.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { Skeleton } from '../../parts/notes.tsx';
import { isProduction } from '../../production.ts';
import { useQuery } from '../../queries.ts';
import { texts } from '../../texts.ts';

interface DeleteProps {
  readonly project: string;
  readonly definition: Definition;
  readonly all: readonly Definition[];
  readonly record: AnyRecord;
  readonly onClose: () => void;
  /** The deletion was confirmed; it can still be undone. */
  readonly onDelete: () => void;
  /** The server has deleted the record. */
  readonly onDeleted: () => void;
}

interface Consequence {
  readonly kind: 'deletes' | 'clears' | 'restricts';
  readonly collection: string;
  readonly count: number;
}

/** Asks for confirmation, and shows which records point to this one and what its deletion does to them. */
export function DeleteRecord({
  project,
  definition,
  all,
  record,
  onClose,
  onDelete,
  onDeleted,
}: DeleteProps) {
  const name = labelOf(definition, record);
  const { data, error } = useQuery({
    key: ['project', project, 'deletion', definition.id, record._id],
    load: () => findConsequences(project, definition, all, record._id),
    fresh: 0,
  });
  const [typed, setTyped] = useState('');
  const mustType = isProduction(project);
  const isReady = (data !== undefined || error !== null) && (!mustType || typed === definition.id);
  const restricted = data?.some(({ kind }) => kind === 'restricts') ?? false;
  const form = useId();
  const confirm = (event: Event) => {
    event.preventDefault();
    if (restricted || !isReady) return;
    deleteSoon({ project, collection: definition.id, id: record._id, name, onDeleted });
    onClose();
    onDelete();
  };
  const footer = (
    <>
      <Button onClick={onClose}>{texts.cancel}</Button>
      <Button kind="danger" type="submit" form={form} disabled={restricted || !isReady}>
        {texts.remove}
      </Button>
    </>
  );
  return (
    <Dialog title={texts.record.deleteTitle(name)} onClose={onClose} footer={footer}>
      <form id={form} class="stack" onSubmit={confirm}>
        {!data && !error ? (
          <Skeleton lines={2} />
        ) : (
          <>
            {data && data.length > 0 ? (
              <ul class="consequences">
                {data.map(({ kind, collection, count }) => (
                  <li key={`${kind} ${collection}`} class={kind}>
                    {texts.record.consequence[kind](texts.records(count), collection)}
                  </li>
                ))}
              </ul>
            ) : (
              <p>{data ? texts.record.nothingPoints : texts.record.unknownPoints}</p>
            )}
            <p class="quiet">{restricted ? texts.record.restricted : texts.record.tenSeconds}</p>
          </>
        )}
        {mustType && !restricted && (
          <TextField label={texts.typeToConfirm(definition.id)} value={typed} onInput={setTyped} />
        )}
      </form>
    </Dialog>
  );
}

/** Asks the server; if that fails, counts the records that point here. */
async function findConsequences(
  project: string,
  definition: Definition,
  all: readonly Definition[],
  record: string,
): Promise<Consequence[]> {
  try {
    const answer = await recordsOf(project, definition.id).deletion(record);
    return (['restricts', 'deletes', 'clears'] as const).flatMap((kind) =>
      Object.entries(answer[kind] ?? {})
        .filter(([, count]) => count > 0)
        .map(([id, count]) => ({ kind, collection: all.find((one) => one.id === id)?.name ?? id, count })),
    );
  } catch {
    return lookForPointers(project, definition, all, record);
  }
}

const kinds = { cascade: 'deletes', restrict: 'restricts', clear: 'clears' } as const;

async function lookForPointers(
  project: string,
  definition: Definition,
  all: readonly Definition[],
  id: string,
): Promise<Consequence[]> {
  const pointing = all.flatMap((other) =>
    fieldsOf(other)
      .filter(({ type, to }) => type === 'relation' && to === definition.id)
      .map((field) => ({ other, field })),
  );
  const found = await Promise.all(
    pointing.map(async ({ other, field }) => {
      const { total } = await recordsOf(project, other.id).list({
        where: { [field.name]: id },
        fields: ['_id'],
        perPage: 1,
      });
      const onDelete = String(field.onDelete ?? 'clear') as keyof typeof kinds;
      return { kind: kinds[onDelete], collection: other.name ?? other.id, count: total };
    }),
  );
  return found.filter(({ count }) => count > 0);
}
