/**
 * The JSON of each record of a page that is too large to be one text, in UTF-8: it goes from one thread to another without being
 * copied, and to the client in parts. To make a text of 60 MB keeps all others waiting for a fifth of a second.
 */
export type LargeText = readonly Uint8Array<ArrayBuffer>[];

export function isLargeText(found: string | readonly string[] | LargeText): found is LargeText {
  return typeof found !== 'string' && found[0] instanceof Uint8Array;
}

export const bytesOf = (found: LargeText): number => found.reduce((sum, { length }) => sum + length, 0);

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export const encodeText = (json: string): Uint8Array<ArrayBuffer> => encoder.encode(json);
export const decodeText = (record: Uint8Array): string => decoder.decode(record);

/** A text for each record, for those who ask for few of them or for little. */
export function recordTexts(found: readonly string[] | LargeText): readonly string[] {
  return isLargeText(found) ? found.map(decodeText) : found;
}

/** One text for all records, with commas in between: for those who ask for one record. */
export function joinedText(found: string | LargeText): string {
  return typeof found === 'string' ? found : found.map(decodeText).join(',');
}
