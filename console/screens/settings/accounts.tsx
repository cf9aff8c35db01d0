import { SelectField, TextField } from '../../parts/form-field.tsx';
import { texts } from '../../texts.ts';
import { Section } from './section.tsx';
import type { SettingsControl } from './use-settings.ts';

const { settings: words } = texts;

export function Accounts({ control: { auth, faults, set } }: { control: SettingsControl }) {
  return (
    <Section title={words.accounts} hint={words.accountsHint}>
      <SelectField
        label={words.registration}
        value={auth.registration ?? 'open'}
        onChange={(next) => set('registration', next)}
        options={[
          ['open', words.registrationOpen],
          ['closed', words.registrationClosed],
        ]}
        error={faults['auth.registration']}
      />
      <div class="columns">
        {(['accessTokenMinutes', 'refreshTokenDays'] as const).map((setting) => (
          <TextField
            key={setting}
            label={words[setting]}
            type="number"
            value={String(auth[setting] ?? '')}
            onInput={(text) => set(setting, text === '' ? null : Number(text))}
            error={faults[`auth.${setting}`]}
          />
        ))}
      </div>
      {'onUserDelete' in auth && (
        <SelectField
          label={words.onUserDelete}
          value={auth.onUserDelete === 'delete' ? 'delete' : 'keep'}
          onChange={(next) => set('onUserDelete', next)}
          options={[
            ['keep', words.onUserDeletes.keep],
            ['delete', words.onUserDeletes.delete],
          ]}
          error={faults['auth.onUserDelete']}
        />
      )}
      {'totp' in auth && (
        <SelectField
          label={words.totp}
          value={auth.totp === 'required' ? 'required' : 'optional'}
          onChange={(next) => set('totp', next)}
          options={[
            ['optional', words.totps.optional],
            ['required', words.totps.required],
          ]}
          error={faults['auth.totp']}
        />
      )}
    </Section>
  );
}
