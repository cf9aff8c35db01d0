import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { messageOf, recordsOf } from '../../api.ts';
import { faultsOf, isElsewhere } from '../../faults.ts';
import { type Creation, CreationContext } from '../../fields/creation.ts';
import { type AnyRecord, blankValues, sameValue } from '../../model/fields.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useLeaving } from '../../parts/leaving.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { texts } from '../../texts.ts';
import { RecordForm } from './record-form.tsx';

interface CreatingProps {
  readonly project: string;
  readonly all: readonly Definition[];
  readonly children: ComponentChildren;
}

/** Lets relation fields inside it create the record that they will point to. */
export function Creating({ project, all, children }: CreatingProps) {
  const [asked, setAsked] = useState<Creation>();
  const close = () => setAsked(undefined);
  return (
    <CreationContext.Provider value={setAsked}>
      {children}
      {asked && <CreateInside project={project} all={all} creation={asked} onClose={close} />}
    </CreationContext.Provider>
  );
}

interface CreateInsideProps {
  readonly project: string;
  readonly all: readonly Definition[];
  readonly creation: Creation;
  readonly onClose: () => void;
}

function CreateInside({ project, all, creation, onClose }: CreateInsideProps) {
  const { definition, start, onCreated } = creation;
  const [values, setValues] = useState(start);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const create = async () => {
    setBusy(true);
    setError(undefined);
    try {
      onCreated((await recordsOf(project, definition.id).create(values)) as AnyRecord);
      onClose();
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  const faults = faultsOf(error);
  const { leave, question } = useLeaving(!sameValue({ ...values }, { ...start }), onClose);
  const footer = (
    <>
      <Button disabled={busy} onClick={onClose}>
        {texts.cancel}
      </Button>
      <Button kind="primary" busy={busy} onClick={() => void create()}>
        {texts.create}
      </Button>
    </>
  );
  return (
    <Dialog
      title={texts.record.newIn(definition.name ?? definition.id)}
      onClose={leave}
      footer={footer}
      busy={busy}
    >
      {isElsewhere(error, Object.keys(definition.fields ?? {})) && <ErrorNote message={messageOf(error)} />}
      <Creating project={project} all={all}>
        <RecordForm
          project={project}
          definition={definition}
          all={all}
          base={blankValues(definition)}
          changes={values}
          faults={faults}
          onChange={(name, value) => {
            const { [name]: _, ...others } = values;
            setValues(value === undefined ? others : { ...others, [name]: value });
          }}
        />
      </Creating>
      {question}
    </Dialog>
  );
}
