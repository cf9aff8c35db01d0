import { Plus, Trash2 } from 'lucide';
import type { Json } from '../../../client/client.ts';
import { faultAt } from '../../faults.ts';
import { Button } from '../../parts/button.tsx';
import { FormField, TextField } from '../../parts/form-field.tsx';
import { Tokens } from '../../parts/tokens.tsx';
import { texts } from '../../texts.ts';
import { Section } from './section.tsx';
import type { SettingsControl } from './use-settings.ts';

const { settings: words } = texts;

type Provider = Readonly<Record<string, string>>;
const parts = [
  ['id', words.providerId],
  ['name', words.providerName],
  ['issuer', words.issuer],
  ['clientId', words.clientId],
] as const;

export function Providers({ control }: { control: SettingsControl }) {
  const { auth, faults, set, secrets, setSecrets } = control;
  const providers = (auth.providers ?? []) as readonly Provider[];
  const write = (next: readonly Provider[]) => set('providers', next as Json);
  const change = (at: number, part: string, text: string) =>
    write(providers.with(at, { ...providers[at], [part]: text }));
  // An empty secret keeps the one that the server has.
  const changeSecret = (at: number, text: string) => {
    const { [at]: _, ...rest } = secrets;
    setSecrets(text === '' ? rest : { ...rest, [at]: text });
  };
  const remove = (at: number) => {
    const others = Object.entries(secrets).filter(([place]) => Number(place) !== at);
    setSecrets(
      Object.fromEntries(others.map(([place, text]) => [Number(place) - Number(Number(place) > at), text])),
    );
    write(providers.toSpliced(at, 1));
  };
  return (
    <Section title={words.providers} hint={words.providersHint}>
      {providers.map((provider, at) => (
        <div key={at} class="field-card" role="group" aria-label={words.provider(provider.name ?? '')}>
          <div class="columns">
            {parts.map(([part, label]) => (
              <TextField
                key={part}
                label={label}
                value={provider[part] ?? ''}
                onInput={(text) => change(at, part, text)}
                error={faults[`auth.providers[${at}].${part}`]}
                required
              />
            ))}
            <TextField
              label={words.clientSecret}
              hint={words.secretKept}
              type="password"
              autocomplete="new-password"
              value={secrets[at] ?? ''}
              onInput={(text) => changeSecret(at, text)}
              error={faults[`auth.providers[${at}].clientSecret`]}
            />
          </div>
          <div>
            <Button
              kind="quiet"
              icon={Trash2}
              label={words.removeProvider(provider.name ?? provider.id ?? '')}
              onClick={() => remove(at)}
            />
          </div>
        </div>
      ))}
      <div>
        <Button
          icon={Plus}
          onClick={() => write([...providers, { id: '', name: '', issuer: 'https://', clientId: '' }])}
        >
          {words.addProvider}
        </Button>
      </div>
      {'redirects' in auth && (
        <FormField
          label={words.redirects}
          hint={words.redirectsHint}
          error={faultAt(faults, 'auth.redirects')}
        >
          {(ids) => (
            <Tokens
              ids={ids}
              values={(auth.redirects ?? []) as readonly string[]}
              onChange={(values) => set('redirects', values)}
            />
          )}
        </FormField>
      )}
    </Section>
  );
}
