import { X } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import { isStatus, messageOf, recordsOf } from '../../api.ts';
import type { AnyRecord } from '../../model/fields.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorNote, Skeleton } from '../../parts/notes.tsx';
import { useQuery } from '../../queries.ts';
import { texts } from '../../texts.ts';
import { viewerKey } from '../../viewer.ts';
import { Editor } from './editor.tsx';
import { GoneDraft } from './gone-draft.tsx';
import type { PanelProps } from './use-editor.ts';

/** One record, beside the list. */
export function RecordPanel(props: PanelProps) {
  const { project, definition, id, onClose } = props;
  const isNew = id === 'new';
  const record = useQuery({
    key: ['project', project, 'record', definition.id, id, viewerKey(project)],
    load: (signal) => recordsOf(project, definition.id).view(id, { signal }) as Promise<AnyRecord>,
    enabled: !isNew,
    fresh: 0,
  });
  const [base, setBase] = useState<AnyRecord>();
  // Set once, so that the form does not change while it is edited: changes of others show when it is saved. Cached data is not
  // used, because the record may have been saved since it was read.
  const { isFetchedAfterMount: isRead, isSuccess } = record;
  useEffect(() => {
    if (record.data && isRead && isSuccess && base === undefined) setBase(record.data);
  }, [record.data, isRead, isSuccess]);
  const isGone = isStatus(record.error, 404);
  return (
    <aside class="panel" aria-label={texts.record.panel}>
      {isNew ? (
        <Editor {...props} loaded={null} />
      ) : base ? (
        <Editor key={base._id} {...props} loaded={base} />
      ) : (
        <div class="panel-body">
          <div class="row">
            <span class="grow" />
            <Button kind="quiet" icon={X} label={texts.close} onClick={onClose} />
          </div>
          {record.error ? (
            <>
              <ErrorNote
                message={isGone ? texts.record.gone : messageOf(record.error)}
                onRetry={() => void record.refetch()}
              />
              {isGone && (
                <GoneDraft project={project} collection={definition.id} id={id} onDiscarded={onClose} />
              )}
            </>
          ) : (
            <Skeleton lines={8} />
          )}
        </div>
      )}
    </aside>
  );
}
