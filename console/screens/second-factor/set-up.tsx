import { useId, useState } from 'preact/hooks';
import { admin, messageOf } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FormField, TextField } from '../../parts/form-field.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { QrCode } from '../../parts/qr-code.tsx';
import { texts } from '../../texts.ts';

const { secondFactor: words } = texts;

interface SetUpProps {
  readonly secret: string;
  readonly uri: string;
  readonly onMade: (codes: readonly string[]) => void;
  readonly onClose: () => void;
}

/** Nothing is on before a code has shown that the app has the secret. */
export function SetUp({ secret, uri, onMade, onClose }: SetUpProps) {
  const form = useId();
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      onMade((await admin.totp.confirm(code.replaceAll(/\s/g, ''))).recoveryCodes);
    } catch (caught) {
      setError(messageOf(caught));
      setBusy(false);
    }
  };
  const footer = (
    <>
      <Button onClick={onClose}>{texts.cancel}</Button>
      <Button kind="primary" type="submit" form={form} busy={busy}>
        {words.turnOn}
      </Button>
    </>
  );
  return (
    <Dialog title={words.title} onClose={onClose} footer={footer}>
      <form id={form} class="stack" onSubmit={submit}>
        <p>{words.intro}</p>
        <QrCode text={uri} label={words.qr} />
        <FormField label={words.secret} hint={words.secretHint} aside={<CopyButton text={secret} />}>
          {(ids) => <input {...ids} class="input mono" readOnly value={secret} />}
        </FormField>
        <TextField label={words.code} value={code} onInput={setCode} autocomplete="one-time-code" required />
        {error !== undefined && <ErrorNote message={error} />}
      </form>
    </Dialog>
  );
}
