import { useState } from 'preact/hooks';
import { admin } from '../../api.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { texts } from '../../texts.ts';

const { secondFactor: words } = texts;

export function TurnOff({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const [currentPassword, setPassword] = useState('');
  const [code, setCode] = useState('');
  const submit = async () => {
    await admin.totp.disable({ currentPassword, code: code.replaceAll(/\s/g, '') });
    onDone();
  };
  return (
    <FormDialog
      title={words.title}
      action={words.turnOff}
      fields={['currentPassword', 'code']}
      onSubmit={submit}
      onClose={onClose}
    >
      {(faults) => (
        <>
          <p>{words.isOn}</p>
          <TextField
            label={words.password}
            type="password"
            autocomplete="current-password"
            value={currentPassword}
            onInput={setPassword}
            error={faults.currentPassword}
            required
          />
          <TextField
            label={words.codeOrRecovery}
            autocomplete="one-time-code"
            value={code}
            onInput={setCode}
            error={faults.code}
            required
          />
        </>
      )}
    </FormDialog>
  );
}
