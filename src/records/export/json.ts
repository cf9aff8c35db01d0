import { selectFields } from '../select-fields.ts';
import { type Contents, type Format, utf8 } from './format.ts';

/** One array, with one record per line, so that people can read the file. */
export const json: Format = {
  extension: 'json',
  type: 'application/json; charset=utf-8',
  open(contents) {
    let before = '\n';
    return {
      head: () => utf8('['),
      records(texts) {
        if (texts.length === 0) return utf8('');
        const part = before + texts.map((text) => selected(contents, text)).join(',\n');
        before = ',\n';
        return utf8(part);
      },
      tail: () => utf8('\n]\n'),
    };
  },
};

/** One record per line. */
export const ndjson: Format = {
  extension: 'ndjson',
  type: 'application/x-ndjson; charset=utf-8',
  open: (contents) => ({
    head: () => utf8(''),
    records: (texts) => utf8(texts.map((text) => `${selected(contents, text)}\n`).join('')),
    tail: () => utf8(''),
  }),
};

function selected({ fields }: Contents, text: string): string {
  return fields ? selectFields(text, fields) : text;
}
