import { useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { faultsOf, messageOf, recordsOf } from '../../api.ts';
import { type AnyRecord, blankValues, type Values } from '../../model/fields.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { texts } from '../../texts.ts';
import { RecordForm } from './record-form.tsx';

interface CreateInsideProps {
  readonly project: string;
  readonly definition: Definition;
  readonly all: readonly Definition[];
  readonly start: Values;
  readonly onClose: () => void;
  readonly onCreated: (record: AnyRecord) => void;
}

/** Makes a record of another collection without leaving the one that is to point to it. */
export function CreateInside({ project, definition, all, start, onClose, onCreated }: CreateInsideProps) {
  const [values, setValues] = useState(start);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const create = async () => {
    setBusy(true);
    setError(undefined);
    try {
      onCreated((await recordsOf(project, definition.id).create(values)) as AnyRecord);
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  const faults = faultsOf(error);
  const footer = (
    <>
      <Button onClick={onClose}>{texts.cancel}</Button>
      <Button kind="primary" busy={busy} onClick={() => void create()}>
        {texts.create}
      </Button>
    </>
  );
  return (
    <Dialog title={texts.record.newIn(definition.name ?? definition.id)} onClose={onClose} footer={footer}>
      {error !== undefined && Object.keys(faults).length === 0 && <ErrorNote message={messageOf(error)} />}
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
    </Dialog>
  );
}
