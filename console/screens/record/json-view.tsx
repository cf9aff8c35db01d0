import { useMemo, useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { fieldsOf, sameValue, type Values } from '../../model/fields.ts';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { texts } from '../../texts.ts';

interface JsonViewProps {
  readonly definition: Definition;
  readonly base: Values;
  readonly changes: Values;
  readonly onChanges: (changes: Values) => void;
}

/** The record as JSON, to be edited as a whole; what is wrong with it is shown while it is typed. */
export function JsonView({ definition, base, changes, onChanges }: JsonViewProps) {
  const names = fieldsOf(definition).map(({ name }) => name);
  const [start] = useState(() => {
    const values = Object.fromEntries(names.map((name) => [name, changes[name] ?? base[name] ?? null]));
    return JSON.stringify(values, null, 2);
  });
  const [error, setError] = useState<string>();
  const fixed = useMemo(
    () => Object.fromEntries(Object.entries(base).filter(([name]) => name.startsWith('_'))),
    [base],
  );
  const read = (text: string) => {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return setError(texts.json.object);
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
      <CodeEditor label={texts.json.label} start={start} onChange={read} />
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
      <pre class="quiet mono fixed-fields">{JSON.stringify(fixed, null, 2)}</pre>
    </div>
  );
}
