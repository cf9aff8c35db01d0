import { PencilLine } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { messageOf } from '../../api.ts';
import { draftKey, writeDraft } from '../../model/drafts.ts';
import { type AnyRecord, findField, labelOfField } from '../../model/fields.ts';
import { labelOf } from '../../model/labels.ts';
import { type RecordDraft, saveDrafts } from '../../model/save-drafts.ts';
import { restoreDraft } from '../../model/settle-draft.ts';
import { done } from '../../model/undo.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { isFromEditedList, isShortcut } from '../../parts/keys.ts';
import { toast } from '../../parts/toasts.tsx';
import { Value } from '../../parts/value.tsx';
import { texts } from '../../texts.ts';

interface DraftsBarProps {
  readonly project: string;
  readonly definition: Definition;
  readonly all: readonly Definition[];
  readonly drafts: readonly RecordDraft[];
  /** A record is open beside the list: the bar is hidden, and Ctrl+S saves all drafts only from within the list. */
  readonly aside: boolean;
  readonly onSaved: (records: readonly AnyRecord[]) => void;
  readonly onOpen: (id: string) => void;
}

/** Unsaved changes of several records: to be reviewed, saved together, or discarded. */
export function DraftsBar(props: DraftsBarProps) {
  const { project, definition, drafts, aside, onSaved, onOpen } = props;
  const [reviewing, setReviewing] = useState(false);
  const [busy, setBusy] = useState(false);
  const discard = () => {
    const keyOf = (id: string) => draftKey(project, definition.id, id);
    for (const { id } of drafts) writeDraft(keyOf(id), undefined);
    setReviewing(false);
    done(texts.drafts.discarded(drafts.length), async () => {
      for (const { id, draft } of drafts) restoreDraft(keyOf(id), draft);
    });
  };
  const save = async () => {
    if (busy || drafts.length === 0) return;
    setBusy(true);
    try {
      const outcome = await saveDrafts(project, definition, drafts);
      if (outcome.kind === 'saved') {
        onSaved(outcome.records);
        toast({ text: texts.drafts.saved(outcome.records.length) });
        setReviewing(false);
      } else {
        toast({ kind: 'bad', text: outcome.message });
        setReviewing(false);
        onOpen(outcome.id);
      }
    } catch (error) {
      toast({ kind: 'bad', text: messageOf(error) });
    }
    setBusy(false);
  };
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      if (!isShortcut(event, 's') || (document.querySelector('dialog[open]') && !reviewing)) return;
      if (aside && !isFromEditedList(event)) return;
      event.preventDefault();
      // In the next frame, because the same key may end the edit of a cell and add its draft.
      requestAnimationFrame(() => void latest.current());
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, [aside, reviewing]);
  const isHidden = drafts.length === 0 || aside;
  // Opening a record or going back ends the review; else its dialog would reappear later.
  useEffect(() => {
    if (isHidden) setReviewing(false);
  }, [isHidden]);
  if (isHidden) return null;
  const buttons = (
    <>
      <Button disabled={busy} onClick={discard}>
        {texts.drafts.discardAll}
      </Button>
      <Button kind="primary" busy={busy} onClick={() => void save()}>
        {texts.drafts.saveAll}
      </Button>
    </>
  );
  return (
    <div class="bulk drafts" role="region" aria-label={texts.drafts.label}>
      <Icon icon={PencilLine} />
      <strong>{texts.drafts.count(drafts.length)}</strong>
      <span class="grow" />
      <Button onClick={() => setReviewing(true)}>{texts.drafts.review}</Button>
      {buttons}
      {reviewing && (
        <Dialog title={texts.drafts.label} wide onClose={() => setReviewing(false)} footer={buttons}>
          <Review {...props} />
        </Dialog>
      )}
    </div>
  );
}

function Review({ project, definition, all, drafts }: DraftsBarProps) {
  return (
    <div class="table-wrap">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{texts.drafts.record}</th>
            <th scope="col">{texts.conflict.field}</th>
            <th scope="col">{texts.conflict.base}</th>
            <th scope="col">{texts.drafts.after}</th>
          </tr>
        </thead>
        <tbody>
          {drafts.flatMap(({ id, draft }) => {
            // `values` are not what the user meant while the JSON does not parse.
            if (draft.text !== undefined)
              return (
                <tr key={id}>
                  <td class="anywhere">{labelOf(definition, draft.base)}</td>
                  <td colSpan={3}>{texts.json.unreadable}</td>
                </tr>
              );
            return Object.entries(draft.values).map(([name, value]) => {
              const field = findField(definition, name) ?? { name, type: 'text' };
              return (
                <tr key={`${id} ${name}`}>
                  <td class="anywhere">{labelOf(definition, draft.base)}</td>
                  <td>{labelOfField(field)}</td>
                  <td class="anywhere quiet">
                    <Value project={project} all={all} field={field} value={draft.base[name]} />
                  </td>
                  <td class="anywhere">
                    <Value project={project} all={all} field={field} value={value} />
                  </td>
                </tr>
              );
            });
          })}
        </tbody>
      </table>
    </div>
  );
}
