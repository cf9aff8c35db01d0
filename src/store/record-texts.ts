/**
 * The JSON of records, each by itself, where all together would be too large a text: to make one of 60 MB keeps all others waiting for
 * a fifth of a second. In UTF-8 it goes from one thread to another without being copied.
 */
export type RecordTexts = readonly (string | Uint8Array<ArrayBuffer>)[];

export function bytesOf(found: RecordTexts): number {
  return found.reduce((sum: number, record) => {
    return sum + (typeof record === 'string' ? Buffer.byteLength(record) : record.length);
  }, 0);
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
