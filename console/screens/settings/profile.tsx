import { useState } from 'preact/hooks';
import type { Json } from '../../../client/client.ts';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { texts } from '../../texts.ts';
import { Section } from './section.tsx';
import type { SettingsControl } from './use-settings.ts';

const { settings: words } = texts;

/** The fields that each user has, as JSON: they are written as a collection's are. */
export function Profile({ control: { auth, faults, set } }: { control: SettingsControl }) {
  const [start] = useState(() => JSON.stringify(auth.profile ?? {}, null, 2));
  const [wrong, setWrong] = useState(false);
  const type = (text: string) => {
    const value = readObject(text);
    setWrong(value === undefined);
    if (value !== undefined) set('profile', value);
  };
  const found = Object.entries(faults).filter(([at]) => at.startsWith('auth.profile'));
  return (
    <Section title={words.profile} hint={words.profileHint}>
      <CodeEditor label={words.profileLabel} start={start} onChange={type} />
      {wrong && <p class="field-error">{words.notJson}</p>}
      {found.map(([at, fault]) => (
        <p key={at} class="field-error">
          {at.slice('auth.profile.'.length)}: {fault}
        </p>
      ))}
    </Section>
  );
}

function readObject(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
