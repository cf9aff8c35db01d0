import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { fieldsOf, sameValue, shownValue, type Values } from '../../model/fields.ts';
import { jsonFault, parseJson } from '../../model/parse-json.ts';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { texts } from '../../texts.ts';

interface JsonViewProps {
  readonly definition: Definition;
  readonly base: Values;
  readonly changes: Values;
  /** The text, if it does not parse. */
  readonly unreadable: string | undefined;
  /** `changes` is undefined if the text does not parse. */
  readonly onRead: (text: string, changes: Values | undefined) => void;
}

/** The whole record as JSON; errors are shown while typing. */
export function JsonView({ definition, base, changes, unreadable, onRead }: JsonViewProps) {
  const names = fieldsOf(definition).map(({ name }) => name);
  const values = Object.fromEntries(
    [...new Set([...names, ...Object.keys(changes)])].map((name) => [name, shownValue(name, base, changes)]),
  );
  /** The values of the last text that parsed; another `round` mounts the editor again, with a new text. */
  const [text, setText] = useState({ round: 0, says: values });
  const [begun] = useState(unreadable);
  // An undo changes the values from outside: the old text must go, or the next keystroke would bring its values back.
  useEffect(() => {
    const { round, says } = text;
    const same = Object.keys({ ...values, ...says }).every((name) =>
      sameValue(says[name], shownValue(name, base, changes)),
    );
    if (!same && unreadable === undefined) setText({ round: round + 1, says: values });
  }, [base, changes]);
  const fixed = useMemo(
    () => Object.fromEntries(Object.entries(base).filter(([name]) => name.startsWith('_'))),
    [base],
  );
  const read = (typed: string) => {
    if (faultOf(typed) !== undefined) return onRead(typed, undefined);
    const value = parseJson(typed) as Values;
    setText(({ round }) => ({ round, says: value }));
    const missing = names.filter((name) => !(name in value)).map((name) => [name, null] as const);
    const all = [...Object.entries(value), ...missing];
    onRead(typed, Object.fromEntries(all.filter(([name, one]) => !sameValue(one, base[name]))));
  };
  const error = unreadable === undefined ? undefined : faultOf(unreadable);
  return (
    <div class="stack json-view">
      <CodeEditor
        key={text.round}
        label={texts.json.label}
        start={text.round === 0 && begun !== undefined ? begun : JSON.stringify(text.says, null, 2)}
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

function faultOf(text: string): string | undefined {
  const fault = jsonFault(text);
  if (fault !== undefined) return fault;
  const value = parseJson(text);
  return typeof value !== 'object' || value === null || Array.isArray(value) ? texts.json.object : undefined;
}
