import { admin } from '../../api.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { toast } from '../../parts/toasts.tsx';
import { useForm } from '../../parts/use-form.ts';
import { texts } from '../../texts.ts';

const { secondFactor: words } = texts;

export function TurnOff({ onClose }: { onClose: () => void }) {
  const form = useForm(
    { currentPassword: '', code: '' },
    async ({ currentPassword, code }) => {
      await admin.totp.disable({ currentPassword, code: code.replaceAll(/\s/g, '') });
      toast({ text: words.offNow });
    },
    onClose,
  );
  return (
    <FormDialog title={words.title} action={words.turnOff} form={form} onClose={onClose}>
      <p>{words.isOn}</p>
      <TextField
        label={words.password}
        type="password"
        autocomplete="current-password"
        {...form.text('currentPassword')}
        required
      />
      <TextField label={words.codeOrRecovery} autocomplete="one-time-code" {...form.text('code')} required />
    </FormDialog>
  );
}
