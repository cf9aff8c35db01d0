import { useState } from 'preact/hooks';
import type { Definition, Plan } from '../../../client/admin.ts';
import { admin, messageOf } from '../../api.ts';
import { noteCollection } from '../../change-collection.ts';
import { faultsOf, isElsewhere } from '../../faults.ts';
import { jsonFault } from '../../model/parse-json.ts';
import { done } from '../../model/undo.ts';
import { Button } from '../../parts/button.tsx';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { CollectionTabs } from '../../parts/collection-tabs.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { toast } from '../../parts/toasts.tsx';
import { useFirstFault } from '../../parts/use-first-fault.ts';
import { navigate } from '../../router.ts';
import { texts } from '../../texts.ts';
import { DefinitionForm } from './definition-form.tsx';
import { DeleteCollection } from './delete-collection.tsx';
import { type Draft, definitionOf, draftOf, findDraft, followAccess, jsonOf, keepDraft } from './draft.ts';
import { PlanDialog } from './plan-dialog.tsx';
import { useDraft } from './use-draft.ts';

const { definition: words } = texts;

interface EditorProps {
  readonly project: string;
  readonly saved: Definition | undefined;
  readonly collections: readonly Definition[];
}

/** Messages about these places are shown at their controls. */
const placesOf = ({ fields, indexes }: Draft): readonly string[] => [
  ...['id', 'name'],
  ...fields.map(({ name }) => `fields.${name}`),
  ...indexes.map((_, at) => `indexes[${at}]`),
];

/** A plan, and the draft it was made for: the form may have changed since. */
interface Planned {
  readonly plan: Plan;
  readonly sent: Draft;
}

/** Form and JSON side by side; the server's plan is shown before anything is saved. */
export function Editor({ project, saved, collections }: EditorProps) {
  const control = useDraft(project, saved);
  const [planned, setPlanned] = useState<Planned>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [replacing, setReplacing] = useState(false);
  const definition = definitionOf(control.draft);
  const faults = faultsOf(error);
  const form = useFirstFault(error);
  const name = saved?.name ?? saved?.id;

  const finish = (sent: Draft, now: Definition) => {
    noteCollection(project, now, saved?.id);
    control.settle(sent, now);
    setPlanned(undefined);
    toast({ text: (saved ? words.saved : words.made)(now.name ?? now.id) });
    if (now.id !== saved?.id) navigate(`/${project}/${now.id}`, { replace: true });
  };
  const managed = admin.project(project).collections;
  const planOf = async (known: Definition, draft: Draft): Promise<Planned> => {
    const asked = managed.plan(known.id, definitionOf(draft));
    const [plan, now] = await Promise.all([asked, managed.view(known.id)]);
    if (JSON.stringify(now) !== JSON.stringify(known)) noteCollection(project, now, known.id);
    const sent = followAccess(draft, draftOf(known).api, draftOf(now).api);
    return { plan: sent === draft ? plan : await managed.plan(known.id, definitionOf(sent)), sent };
  };
  /** Becomes the draft of a new collection, which the user reviews and names before it is created. */
  const duplicate = () => {
    const copy = {
      ...definition,
      id: `${definition.id}-copy`,
      name: words.copyOf(definition.name ?? definition.id),
    };
    keepDraft(project, '_new', { text: jsonOf(draftOf(copy)) });
    navigate(`/${project}/_new`);
  };
  const askToDuplicate = () => (findDraft(project, '_new') ? setReplacing(true) : duplicate());
  const discard = () => {
    const restore = control.discard();
    setError(undefined);
    done(words.discarded, async () => restore());
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      if (saved) setPlanned(await planOf(saved, control.draft));
      else finish(control.draft, await managed.create(definition));
    } catch (caught) {
      setError(caught);
    }
    setBusy(false);
  };
  const actions = (
    <>
      <span class="quiet">{control.isChanged ? words.changed : words.unchanged}</span>
      {saved && <Button onClick={askToDuplicate}>{words.duplicate}</Button>}
      <Button disabled={!control.isChanged} onClick={discard}>
        {words.discard}
      </Button>
      <Button
        kind="primary"
        type="submit"
        form="definition"
        saves
        busy={busy}
        disabled={!control.isChanged || control.typed !== undefined}
      >
        {saved ? words.review : words.create}
      </Button>
    </>
  );
  return (
    <Page
      title={name ?? words.newTitle}
      called={name === undefined ? words.newTitle : words.title(name)}
      intro={saved ? words.intro : words.newIntro}
      actions={actions}
      above={saved && <CollectionTabs project={project} collection={saved.id} />}
      wide
    >
      {control.isFound && control.isChanged && <p class="note">{words.draftKept}</p>}
      {isElsewhere(error, placesOf(control.draft)) && <ErrorNote message={messageOf(error)} />}
      <div class="definition">
        <form id="definition" ref={form} class="stack" aria-label={words.form} onSubmit={submit}>
          <DefinitionForm
            draft={control.draft}
            isNew={!saved}
            collections={idsWith(collections, control.draft.id)}
            faults={faults}
            onChange={control.change}
          />
        </form>
        <section class="definition-json" aria-label={words.json}>
          <CodeEditor
            key={control.generation}
            label={words.jsonLabel}
            start={control.typed ?? jsonOf(control.draft)}
            onChange={control.type}
          />
          {control.typed !== undefined && (
            <p class="field-error">
              {words.jsonWrong} {jsonFault(control.typed)}
            </p>
          )}
        </section>
      </div>
      {saved && <DeleteCollection project={project} collection={saved} />}
      {replacing && (
        <Confirm
          title={words.replaceTitle}
          action={words.replace}
          onConfirm={async () => duplicate()}
          onClose={() => setReplacing(false)}
        >
          {words.replaceText}
        </Confirm>
      )}
      {planned && saved && (
        <PlanDialog
          project={project}
          collection={saved.id}
          definition={definitionOf(planned.sent)}
          plan={planned.plan}
          onDone={(now) => finish(planned.sent, now)}
          onClose={() => setPlanned(undefined)}
        />
      )}
    </Page>
  );
}

/** What a relation can point to: all collections, including this one if it is new. */
function idsWith(collections: readonly Definition[], id: string): string[] {
  const ids = collections.map((collection) => collection.id);
  return id === '' || ids.includes(id) ? ids : [...ids, id];
}
