/**
 * The JSON of records, each by itself, where all together would be too large a text: to make one of 60 MB keeps all others waiting for
 * a fifth of a second. In UTF-8 it goes from one thread to another without being copied.
 */
export type RecordTexts = readonly (string | Uint8Array<ArrayBuffer>)[];

/** Characters of what is text, and bytes of what is not. */
export function lengthOf(found: string | RecordTexts): number {
  if (typeof found === 'string') return found.length;
  let sum = 0;
  for (const { length } of found) sum += length;
  return sum;
}

export function bytesOf(found: RecordTexts): number {
  let sum = 0;
  for (const record of found) sum += typeof record === 'string' ? Buffer.byteLength(record) : record.length;
  return sum;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const encodeText = (json: string): Uint8Array<ArrayBuffer> => encoder.encode(json);
export const textOf = (record: RecordTexts[number]): string =>
  typeof record === 'string' ? record : decoder.decode(record);

/** One text for all records, with commas in between, where they are known to be few or small. */
export function joinedText(found: string | RecordTexts): string {
  return typeof found === 'string' ? found : found.map(textOf).join(',');
}
