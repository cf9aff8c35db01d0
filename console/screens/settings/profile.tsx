import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Json } from '../../../client/client.ts';
import { jsonFault, parseJson } from '../../model/parse-json.ts';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { texts } from '../../texts.ts';
import { type DraftField, draftFields, isFields, twins, writtenFields } from '../definition/draft.ts';
import { FieldList } from '../definition/field-list.tsx';
import { afterSending, areSent, type Fields, writtenAfter } from './renamed.ts';
import { Section } from './section.tsx';
import type { SettingsControl } from './use-settings.ts';

const { settings: words } = texts;

/** The profile fields of users, as a form and as JSON: they are defined like the fields of a collection. */
export function Profile({ control }: { control: SettingsControl }) {
  const { auth, saved, sent, faults, set } = control;
  const known = (saved.profile ?? {}) as Fields;
  const [fields, setFields] = useState(() => draftFields((auth.profile ?? {}) as Fields, known));
  const [isOpen, setOpen] = useState(false);
  // Increases when the form changes, so that the JSON editor is mounted again with the new text.
  const [generation, setGeneration] = useState(0);
  const seen = useRef(JSON.stringify(known));
  useLayoutEffect(() => {
    if (seen.current === JSON.stringify(known)) return;
    seen.current = JSON.stringify(known);
    const written = sent?.profile as Fields | undefined;
    const edited = (auth.profile ?? {}) as Fields;
    // If it was saved from here, the form keeps the focus and all that was typed since; else it starts over.
    const next =
      written && areSent(known, written)
        ? afterSending(fields, written)
        : draftFields(written ? writtenAfter(edited, written) : edited, known);
    setFields(next);
    const isOther = JSON.stringify(writtenFields(next)) !== JSON.stringify(writtenFields(fields));
    if (!isOther) return;
    setGeneration(generation + 1);
    control.setUnreadable(undefined);
  });
  const change = (next: readonly DraftField[]) => {
    setFields([...next]);
    if (twins(next).size > 0) return; // the JSON would lack one of the two
    setGeneration(generation + 1);
    control.setUnreadable(undefined);
    set('profile', writtenFields(next) as Json);
  };
  const type = (text: string) => {
    const value = readFields(text);
    control.setUnreadable(value === undefined ? (jsonFault(text) ?? '') : undefined);
    if (!value) return;
    setFields(draftFields(value, known));
    set('profile', value as Json);
  };
  return (
    <Section title={words.profile} hint={words.profileHint}>
      <FieldList
        fields={fields}
        collections={undefined}
        faults={faults}
        below="auth.profile"
        onChange={change}
      />
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary class="quiet">{words.profileJson}</summary>
        {(isOpen || control.unreadable !== undefined) && (
          <CodeEditor
            key={generation}
            label={words.profileLabel}
            start={JSON.stringify(writtenFields(fields), null, 2)}
            onChange={type}
          />
        )}
      </details>
      {control.unreadable !== undefined && (
        <p class="field-error">
          {words.notFields} {control.unreadable}
        </p>
      )}
    </Section>
  );
}

function readFields(text: string): Fields | undefined {
  try {
    const value = parseJson(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
