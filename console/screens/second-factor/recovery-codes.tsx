import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { texts } from '../../texts.ts';

const { secondFactor: words } = texts;

/** Shown once: without them, losing the phone means being locked out. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const footer = (
    <Button kind="primary" onClick={onClose}>
      {words.codesKept}
    </Button>
  );
  return (
    <Dialog title={words.codesTitle} onClose={onClose} footer={footer} firm>
      <div class="stack">
        <p>{words.codesText}</p>
        <section class="code-block" aria-label={words.codesLabel}>
          <CopyButton text={codes.join('\n')} />
          <pre>{codes.join('\n')}</pre>
        </section>
      </div>
    </Dialog>
  );
}
