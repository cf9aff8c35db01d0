import { countText } from '../../format.ts';
import { ErrorNote } from '../../parts/notes.tsx';
import { texts } from '../../texts.ts';
import type { BulkProgress } from './bulk-run.ts';

export function BulkProgressView({ progress }: { progress: BulkProgress }) {
  const { done, total, state, error } = progress;
  return (
    <div class="stack" aria-live="polite">
      <progress max={total} value={total === undefined ? undefined : done} aria-label={texts.bulk.progress} />
      <p>
        {state === 'running' && texts.bulk.running(countText(done))}
        {state === 'done' && texts.bulk.finished(done)}
        {(state === 'stopped' || state === 'failed') && texts.bulk.stopped(done)}
      </p>
      {error !== undefined && <ErrorNote message={error} />}
    </div>
  );
}
