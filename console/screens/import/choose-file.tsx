import { useState } from 'preact/hooks';
import { messageOf } from '../../api.ts';
import { FormField, SelectField } from '../../parts/form-field.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { texts } from '../../texts.ts';
import {
  decodeText,
  guessSeparator,
  looksLikeJson,
  readCsvTable,
  readJsonTable,
  type Separator,
  type Table,
} from './read-file.ts';

const { imports: words } = texts;

const readText = (text: string, separator: Separator) =>
  looksLikeJson(text) ? readJsonTable(text) : readCsvTable(text, separator);

/** The file is read in the browser: nothing is sent before it has been checked. */
export function ChooseFile({ onTable }: { onTable: (table: Table | undefined, file?: File) => void }) {
  const [chosen, setChosen] = useState<File>();
  const [text, setText] = useState<string>();
  const [separator, setSeparator] = useState<Separator>(',');
  const [error, setError] = useState<string>();
  const read = async (file: File | undefined, find: () => Table | Promise<Table>) => {
    try {
      const table = await find();
      if (table.rows.length === 0) throw new Error(words.noRows);
      setError(undefined);
      onTable(table, file);
    } catch (caught) {
      setError(`${words.unreadable}${messageOf(caught)}`);
      onTable(undefined);
    }
  };
  const choose = async (file: File | undefined) => {
    if (!file) return;
    setChosen(file);
    setText(undefined);
    if (/\.xlsx$/i.test(file.name)) {
      return read(file, async () => {
        const { readXlsxTable } = await import('./read-xlsx.ts');
        return readXlsxTable(new Uint8Array(await file.arrayBuffer()));
      });
    }
    await read(file, async () => {
      const content = decodeText(new Uint8Array(await file.arrayBuffer()));
      const guessed = guessSeparator(content);
      setText(content);
      setSeparator(guessed);
      return readText(content, guessed);
    });
  };
  return (
    <div class="narrow-page stack">
      <FormField label={words.file} hint={words.fileHint}>
        {(ids) => (
          <input
            {...ids}
            class="drop"
            type="file"
            accept=".xlsx,.csv,.tsv,.json,.ndjson,.jsonl,text/csv,application/json"
            onChange={(event) => void choose(event.currentTarget.files?.[0])}
          />
        )}
      </FormField>
      {text !== undefined && !looksLikeJson(text) && (
        <SelectField
          label={words.separator}
          value={separator}
          onChange={(next) => {
            setSeparator(next);
            void read(chosen, () => readText(text, next));
          }}
          options={[
            [',', words.separators[',']],
            [';', words.separators[';']],
            ['\t', words.separators['\t']],
          ]}
        />
      )}
      {error !== undefined && <ErrorNote message={error} />}
    </div>
  );
}
