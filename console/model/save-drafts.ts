import type { Definition } from '../../client/admin.ts';
import { isStatus, messageOf, recordsOf } from '../api.ts';
import { texts } from '../texts.ts';
import { type Draft, draftKey } from './drafts.ts';
import type { AnyRecord } from './fields.ts';
import { labelOf } from './labels.ts';
import { settleDraft } from './settle-draft.ts';

export interface RecordDraft {
  readonly id: string;
  readonly draft: Draft & { readonly base: AnyRecord };
}

export type SaveOutcome =
  | { readonly kind: 'saved'; readonly records: readonly AnyRecord[] }
  /** `id`: the record that is in the way. */
  | { readonly kind: 'refused'; readonly id: string; readonly message: string };

/** Saves the drafts of several records in one batch: either all of them are saved or none is. */
export async function saveDrafts(
  project: string,
  definition: Definition,
  drafts: readonly RecordDraft[],
): Promise<SaveOutcome> {
  const records = recordsOf(project, definition.id);
  const halfTyped = drafts.find(({ draft }) => draft.text !== undefined);
  if (halfTyped) {
    const name = labelOf(definition, halfTyped.draft.base);
    return { kind: 'refused', id: halfTyped.id, message: `${name}: ${texts.json.unreadable}` };
  }
  const changed = await findChanged(project, definition, drafts);
  if (changed) {
    const name = labelOf(definition, changed.draft.base);
    return { kind: 'refused', id: changed.id, message: texts.drafts.changedMeanwhile(name) };
  }
  try {
    const { updated } = await records.batch((batch) => {
      for (const { id, draft } of drafts) batch.update(id, draft.values);
    });
    const saved = updated as AnyRecord[];
    for (const { id, draft } of drafts) {
      const record = saved.find(({ _id }) => _id === id);
      if (record) settleDraft(draftKey(project, definition.id, id), draft, record);
    }
    return { kind: 'saved', records: saved };
  } catch (error) {
    const [, at] = /update\[(\d+)\]/.exec(messageOf(error)) ?? [];
    const wrong = drafts[Number(at ?? -1)];
    if (!wrong || isStatus(error, 0)) throw error;
    const name = labelOf(definition, wrong.draft.base);
    const message = messageOf(error).replaceAll(/update\[\d+\]\.?/g, '');
    return { kind: 'refused', id: wrong.id, message: `${name}: ${message}` };
  }
}

/** The first draft whose record somebody else has changed or deleted since it was read. */
async function findChanged(
  project: string,
  definition: Definition,
  drafts: readonly RecordDraft[],
): Promise<RecordDraft | undefined> {
  const now = new Map<string, string>();
  for (let at = 0; at < drafts.length; at += 200) {
    const some = drafts.slice(at, at + 200);
    const { found } = await recordsOf(project, definition.id).list({
      where: { _id: some.map(({ id }) => id) },
      fields: ['_updatedAt'],
      perPage: some.length,
    });
    for (const record of found as readonly object[] as readonly AnyRecord[])
      now.set(record._id, record._updatedAt);
  }
  return drafts.find(({ id, draft }) => now.get(id) !== draft.base._updatedAt);
}
