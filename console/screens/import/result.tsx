import { countText } from '../../format.ts';
import { Button } from '../../parts/button.tsx';
import { Link } from '../../parts/link.tsx';
import { texts } from '../../texts.ts';
import type { Outcome } from './run-import.ts';

const { imports: words } = texts;

interface ResultProps {
  readonly outcome: Outcome;
  readonly to: string;
  readonly onGoOn: () => void;
  readonly onTakeBack: () => void;
  readonly onAgain: () => void;
}

export function Result({ outcome, to, onGoOn, onTakeBack, onAgain }: ResultProps) {
  const isOpen = outcome.kind === 'stopped' || outcome.kind === 'broken';
  const isThere = outcome.kind === 'broken' || ((isOpen || outcome.kind === 'left') && outcome.written > 0);
  return (
    <div class="stack">
      <div class={`note ${outcome.kind === 'done' ? 'good' : 'error'}`} role="status">
        <div>
          <p>{sentenceOf(outcome)}</p>
          {'error' in outcome && <p>{outcome.error}</p>}
        </div>
      </div>
      <p class="more-line">
        {isOpen && (
          <Button kind="primary" onClick={onGoOn}>
            {words.goOn}
          </Button>
        )}
        {isThere && <Button onClick={onTakeBack}>{words.takeBack}</Button>}
        <Link to={to} class={isOpen ? 'button' : 'button primary'}>
          {words.show}
        </Link>
        <Button onClick={onAgain}>{words.again}</Button>
      </p>
    </div>
  );
}

function sentenceOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'done':
      return words.done(countText(outcome.written));
    case 'stopped':
      return words.stopped(countText(outcome.written));
    case 'broken':
      return words.broken(countText(outcome.written));
    case 'undone':
      return words.undone;
    case 'left':
      return words.leftBehind(countText(outcome.written));
  }
}
