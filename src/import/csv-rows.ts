import { CsvError, type InfoRecord, parse } from 'csv-parse';
import { Failure } from '../failure.ts';
import type { Collection } from '../model/collection.ts';
import { type CsvRules, readHeader } from './csv-header.ts';
import { mostCharacters, type Row } from './row.ts';

interface Parsed {
  readonly info: InfoRecord;
  readonly record: readonly string[];
}

/** Reads RFC 4180, with the names of the fields in the first line. Empty lines are skipped. */
export async function* csvRows(
  texts: AsyncIterable<string>,
  collection: Collection,
  rules: CsvRules,
): AsyncGenerator<readonly Row[], void> {
  let read: ReturnType<typeof readHeader> | undefined;
  let [lines, empty] = [0, 0];
  for await (const part of records(texts, rules.separator)) {
    const rows: Row[] = [];
    for (const { info, record } of part) {
      const line = lines + 1 + info.empty_lines - empty;
      [lines, empty] = [info.lines, info.empty_lines];
      if (read) rows.push(read(line, record));
      else read = readHeader(record, collection, rules);
    }
    yield rows;
  }
  if (!read) throw new Failure('invalid', 'there is no header: the first line must name the fields');
}

/** Records in chunks: the stream's own iterator, with one promise per record, takes twice as long. */
async function* records(texts: AsyncIterable<string>, separator: string): AsyncGenerator<Parsed[], void> {
  const parser = parse({
    info: true,
    delimiter: separator,
    record_delimiter: ['\r\n', '\n', '\r'], // otherwise the first line decides for all
    relax_column_count: true, // such a row is reported like any other bad row
    skip_empty_lines: true,
    max_record_size: mostCharacters,
  });
  parser.on('error', () => {}); // thrown by the loop at the end
  try {
    for await (const text of texts) {
      parser.write(text);
      const part: Parsed[] = [];
      for (let one = parser.read(); one !== null; one = parser.read()) part.push(one as Parsed);
      yield part;
      if (parser.errored) break;
    }
    if (!parser.errored) parser.end();
    const last: Parsed[] = [];
    for await (const one of parser) last.push(one as Parsed);
    yield last;
  } catch (error) {
    // After a misplaced quote the columns can't be recognised.
    throw error instanceof CsvError ? new Failure('invalid', `not valid CSV: ${error.message}`) : error;
  }
}
