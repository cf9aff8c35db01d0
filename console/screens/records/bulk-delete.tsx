import { useRef, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { recordsOf } from '../../api.ts';
import { fieldsOf } from '../../model/fields.ts';
import type { ListQuery } from '../../model/list-query.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { isProduction } from '../../production.ts';
import { texts } from '../../texts.ts';
import { BulkProgressView } from './bulk-progress.tsx';
import { type BulkProgress, runBulk } from './bulk-run.ts';
import type { Selection } from './selection.ts';

export interface BulkProps {
  readonly project: string;
  readonly definition: Definition;
  readonly all: readonly Definition[];
  readonly query: ListQuery;
  readonly selection: Selection;
  readonly onClose: (changed: boolean) => void;
}

export function BulkDelete({ project, definition, all, query, selection, onClose }: BulkProps) {
  const [typed, setTyped] = useState('');
  const [progress, setProgress] = useState<BulkProgress>();
  const stop = useRef(new AbortController());
  // More than a screenful, or of unknown number, is not deleted by a slip of the hand; in production nothing is.
  const mustType = selection.kind === 'all' || selection.ids.size > 25 || isProduction(project);
  const ready = !mustType || typed === definition.id;
  const run = () =>
    runBulk({
      project,
      collection: definition.id,
      query,
      selection,
      apply: (ids) =>
        recordsOf(project, definition.id).batch((batch) => {
          for (const id of ids) batch.delete(id);
        }),
      onProgress: setProgress,
      signal: stop.current.signal,
    });
  const pointing = all.filter((other) =>
    fieldsOf(other).some(({ type, to }) => type === 'relation' && to === definition.id),
  );
  const running = progress?.state === 'running';
  const close = () => onClose(progress !== undefined && progress.done > 0);
  const footer = progress ? (
    running ? (
      <Button onClick={() => stop.current.abort()}>{texts.stop}</Button>
    ) : (
      <Button kind="primary" onClick={close}>
        {texts.close}
      </Button>
    )
  ) : (
    <>
      <Button onClick={close}>{texts.cancel}</Button>
      <Button kind="danger" disabled={!ready} onClick={() => void run()}>
        {texts.remove}
      </Button>
    </>
  );
  const title = selection.kind === 'all' ? texts.bulk.deleteAll : texts.bulk.deleteSome(selection.ids.size);
  return (
    <Dialog title={title} onClose={close} footer={footer} firm={running}>
      {progress ? (
        <BulkProgressView progress={progress} />
      ) : (
        <div class="stack">
          <p>{texts.bulk.deleteIntro}</p>
          {pointing.length > 0 && (
            <p>{texts.bulk.pointing(pointing.map(({ id, name }) => name ?? id).join(', '))}</p>
          )}
          {mustType && (
            <TextField label={texts.typeToConfirm(definition.id)} value={typed} onInput={setTyped} />
          )}
        </div>
      )}
    </Dialog>
  );
}
