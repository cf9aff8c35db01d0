import { draftKey, useDrafts, writeDraft } from '../../model/drafts.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { texts } from '../../texts.ts';

interface GoneDraftProps {
  readonly project: string;
  readonly collection: string;
  readonly id: string;
  readonly onDiscarded: () => void;
}

/** The draft of a record that somebody else has deleted: it can be copied or discarded. Until then 'Save all' is refused. */
export function GoneDraft({ project, collection, id, onDiscarded }: GoneDraftProps) {
  const draft = useDrafts(project, collection).get(id);
  if (!draft) return null;
  const text = draft.text ?? JSON.stringify(draft.values, null, 2);
  const discard = () => {
    writeDraft(draftKey(project, collection, id), undefined);
    onDiscarded();
  };
  return (
    <div class="stack gone-draft">
      <p>{texts.record.goneDraft}</p>
      <section class="code-block" aria-label={texts.record.goneLabel}>
        <CopyButton text={text} />
        <pre>{text}</pre>
      </section>
      <div>
        <Button onClick={discard}>{texts.record.discard}</Button>
      </div>
    </div>
  );
}
