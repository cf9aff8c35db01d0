import { Failure } from '../failure.ts';
import { isUnset } from '../model/carry.ts';
import type { JsonObject } from '../model/json.ts';
import { readJsonObject } from '../model/read-json.ts';
import { ArraySplitter } from './array-splitter.ts';
import { mostCharacters, type Row, serviceFields } from './row.ts';

const deepest = 32;

/** Reads one array of objects, of any length. */
export async function* jsonRows(
  texts: AsyncIterable<string>,
  ignoreService: boolean,
): AsyncGenerator<readonly Row[], void> {
  const splitter = new ArraySplitter();
  for await (const text of texts) {
    yield splitter.take(text).map((element) => readRow(element.line, element.text, ignoreService));
  }
  splitter.end();
}

/** Reads one object per line; empty lines are skipped. */
export async function* ndjsonRows(
  texts: AsyncIterable<string>,
  ignoreService: boolean,
): AsyncGenerator<readonly Row[], void> {
  let line = 0;
  let rest = '';
  const read = (text: string): Row[] => {
    line += 1;
    return text.trim() === '' ? [] : [readRow(line, text, ignoreService)];
  };
  for await (const text of texts) {
    const [first = '', ...others] = text.split('\n'); // only the new text is searched
    rest += first;
    requireShort(rest, line + 1);
    const last = others.pop();
    if (last === undefined) continue;
    const lines = [rest, ...others];
    rest = last;
    yield lines.flatMap(read);
  }
  yield read(rest);
}

function requireShort(text: string, line: number): void {
  if (text.length <= mostCharacters) return;
  throw new Failure(
    'invalid',
    `line ${line}: is longer than 16 MiB: where the file is one JSON array, give --format json`,
  );
}

function readRow(line: number, text: string, ignoreService: boolean): Row {
  try {
    const body = readJsonObject(text, deepest, 'The row');
    return { line, body: ignoreService ? ofExport(body) : body };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { line, fault: error.message };
  }
}

/** An exported record as a Create body: empty lists become null, as they were unset and need not satisfy `minItems`. */
function ofExport(body: JsonObject): JsonObject {
  const values = Object.entries(body).filter(([name]) => !serviceFields.includes(name));
  return Object.fromEntries(values.map(([name, value]) => [name, isUnset(value) ? null : value]));
}
