import { countText } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { texts } from '../../texts.ts';
import type { Progress } from './progress.ts';

const { imports: words } = texts;

interface RunningProps {
  readonly total: number;
  readonly written: number;
  readonly undoing: boolean;
  readonly onStop: () => void;
}

export function Running({ total, written, undoing, onStop }: RunningProps) {
  return (
    <div class="stack" aria-live="polite">
      <progress max={total} value={written} aria-label={texts.bulk.progress} />
      <p>{undoing ? words.undoing : words.running(countText(written), countText(total))}</p>
      <div>
        <Button disabled={undoing} onClick={onStop}>
          {texts.stop}
        </Button>
      </div>
    </div>
  );
}

/** A note about an import that a reload or a lost connection has interrupted. */
export function Kept({ progress, onForget }: { progress: Progress; onForget: () => void }) {
  const { file, written, total } = progress;
  return (
    <div class="note warn" role="status">
      <p class="grow">{words.kept(file, countText(written), countText(total))}</p>
      <Button onClick={onForget}>{words.forget}</Button>
    </div>
  );
}
