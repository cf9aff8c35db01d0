import { admin } from '../../api.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { FormField, TextField } from '../../parts/form-field.tsx';
import { QrCode } from '../../parts/qr-code.tsx';
import { useForm } from '../../parts/use-form.ts';
import { texts } from '../../texts.ts';

const { secondFactor: words } = texts;

interface SetUpProps {
  readonly secret: string;
  readonly uri: string;
  readonly onMade: (codes: readonly string[]) => void;
  readonly onClose: () => void;
}

/** The second factor is turned on only after a code has proved that the app has the secret. */
export function SetUp({ secret, uri, onMade, onClose }: SetUpProps) {
  const form = useForm({ code: '' }, async ({ code }) =>
    onMade((await admin.totp.confirm(code.replaceAll(/\s/g, ''))).recoveryCodes),
  );
  return (
    <FormDialog title={words.title} action={words.turnOn} form={form} onClose={onClose}>
      <p>{words.intro}</p>
      <QrCode text={uri} label={words.qr} />
      <FormField label={words.secret} hint={words.secretHint} aside={<CopyButton text={secret} />}>
        {(ids) => <input {...ids} class="input mono" readOnly value={secret} />}
      </FormField>
      <TextField label={words.code} {...form.text('code')} autocomplete="one-time-code" required />
    </FormDialog>
  );
}
