import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { fieldsOf, sameValue, shownValue, type Values } from '../../model/fields.ts';
import { parseJson } from '../../model/parse-json.ts';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { texts } from '../../texts.ts';

interface JsonViewProps {
  readonly definition: Definition;
  readonly base: Values;
  readonly changes: Values;
  readonly onChanges: (changes: Values) => void;
  /** Whether the text can't be read as it is. */
  readonly onUnreadable: (unreadable: boolean) => void;
}

/** The record as JSON, to be edited as a whole; what is wrong with it is shown while it is typed. */
export function JsonView({ definition, base, changes, onChanges, onUnreadable }: JsonViewProps) {
  const names = fieldsOf(definition).map(({ name }) => name);
  const values = Object.fromEntries(
    [...new Set([...names, ...Object.keys(changes)])].map((name) => [name, shownValue(name, base, changes)]),
  );
  /** What the text says, as far as it could be read; another `round` begins with another text. */
  const [text, setText] = useState({ round: 0, says: values });
  const [error, setError] = useState<string>();
  useEffect(() => {
    onUnreadable(error !== undefined);
    return () => onUnreadable(false);
  }, [error]);
  // It is changed elsewhere too, by an undo: what the text still says would come back with the next key.
  useEffect(() => {
    const { round, says } = text;
    const same = Object.keys({ ...values, ...says }).every((name) =>
      sameValue(says[name], shownValue(name, base, changes)),
    );
    if (!same && error === undefined) setText({ round: round + 1, says: values });
  }, [base, changes]);
  const fixed = useMemo(
    () => Object.fromEntries(Object.entries(base).filter(([name]) => name.startsWith('_'))),
    [base],
  );
  const read = (typed: string) => {
    try {
      const value = parseJson(typed);
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return setError(texts.json.object);
      setText(({ round }) => ({ round, says: value as Values }));
      const given = Object.entries(value as Values);
      const missing = names.filter((name) => !(name in value)).map((name) => [name, null] as const);
      onChanges(
        Object.fromEntries([...given, ...missing].filter(([name, one]) => !sameValue(one, base[name]))),
      );
      setError(undefined);
    } catch (caught) {
      setError(caught instanceof Error ? caught.message : String(caught));
    }
  };
  return (
    <div class="stack json-view">
      <CodeEditor
        key={text.round}
        label={texts.json.label}
        start={JSON.stringify(text.says, null, 2)}
        onChange={read}
      />
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <pre class="quiet mono fixed-fields">{JSON.stringify(fixed, null, 2)}</pre>
    </div>
  );
}
