import { useState } from 'preact/hooks';
import { admin, faultsOf, messageOf } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { refresh } from '../../queries.ts';
import { navigate } from '../../router.ts';
import { texts } from '../../texts.ts';

const { projects: words } = texts;

/** `My Shop` could be called my-shop. */
const proposeId = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 63);

export function CreateProject({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [typedId, setTypedId] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const id = typedId ?? proposeId(name);
  const faults = faultsOf(error);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await admin.projects.create({ id, ...(name !== '' && { name }) });
      await refresh('projects');
      navigate(`/${id}`);
    } catch (caught) {
      setError(caught);
      setBusy(false);
    }
  };
  const footer = (
    <>
      <Button onClick={onClose}>{texts.cancel}</Button>
      <Button kind="primary" type="submit" form="create-project" busy={busy}>
        {texts.create}
      </Button>
    </>
  );
  return (
    <Dialog title={words.create} onClose={onClose} footer={footer}>
      <form id="create-project" class="stack" onSubmit={submit}>
        <TextField label={words.name} value={name} onInput={setName} error={faults.name} />
        <TextField
          label={words.id}
          hint={words.idHint}
          value={id}
          onInput={setTypedId}
          error={faults.id}
          required
        />
        {error !== undefined && Object.keys(faults).length === 0 && <ErrorNote message={messageOf(error)} />}
      </form>
    </Dialog>
  );
}
