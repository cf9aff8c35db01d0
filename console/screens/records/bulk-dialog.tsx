import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { recordsOf } from '../../api.ts';
import type { ListQuery } from '../../model/list-query.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useLeaving } from '../../parts/leaving.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
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
  readonly onRunning: (running: boolean) => void;
  readonly onClose: (changed: boolean) => void;
}

type Batch = Parameters<Parameters<ReturnType<typeof recordsOf>['batch']>[0]>[0];

interface BulkDialogProps extends BulkProps {
  readonly title: string;
  readonly button: { readonly label: string; readonly kind: 'primary' | 'danger'; readonly ready: boolean };
  /** Something was typed or chosen. */
  readonly isChanged?: boolean;
  /** Adds the operation for one record to the batch. */
  readonly each: (batch: Batch, id: string) => void;
  readonly children: ComponentChildren;
}

/** Asks first, then runs an operation on all selected records and shows its progress; it can be stopped. */
export function BulkDialog(props: BulkDialogProps) {
  const { project, definition, query, selection, onClose, title, button, each, children } = props;
  const { isChanged = false } = props;
  const [progress, setProgress] = useState<BulkProgress>();
  const [refused, setRefused] = useState<string>();
  const stop = useRef(new AbortController());
  const run = async () => {
    props.onRunning(true);
    // Bound to the current viewer for the whole run.
    const records = recordsOf(project, definition.id);
    const outcome = await runBulk({
      records,
      query,
      selection,
      apply: (ids) =>
        records.batch((batch) => {
          for (const id of ids) each(batch, id);
        }),
      onProgress: setProgress,
      signal: stop.current.signal,
    });
    // If nothing was changed, the form is shown again, so that the input can be corrected.
    if (outcome.state !== 'failed' || outcome.done > 0) return;
    props.onRunning(false);
    setRefused(outcome.error);
    setProgress(undefined);
  };
  const running = progress?.state === 'running';
  // The button that was clicked is gone: the focus goes to the one that replaces it.
  const foot = useRef<HTMLSpanElement>(null);
  useEffect(() => foot.current?.querySelector('button')?.focus(), [progress?.state]);
  const close = () => onClose(progress !== undefined && progress.done > 0);
  const { leave, question } = useLeaving(isChanged && !progress, close);
  const footer = progress ? (
    <span ref={foot}>
      {running ? (
        <Button onClick={() => stop.current.abort()}>{texts.stop}</Button>
      ) : (
        <Button kind="primary" onClick={close}>
          {texts.close}
        </Button>
      )}
    </span>
  ) : (
    <>
      <Button onClick={close}>{texts.cancel}</Button>
      <Button kind={button.kind} disabled={!button.ready} onClick={() => void run()}>
        {button.label}
      </Button>
    </>
  );
  return (
    <Dialog title={title} onClose={leave} footer={footer} busy={running}>
      {progress ? <BulkProgressView progress={progress} /> : children}
      {refused !== undefined && !progress && <ErrorNote message={refused} />}
      {question}
    </Dialog>
  );
}
