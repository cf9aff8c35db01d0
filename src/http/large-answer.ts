import type { LargeAnswer } from '../records/ask.ts';
import { turn } from '../records/export/turn.ts';
import { encodeText } from '../store/record-texts.ts';
import { envelope } from './respond.ts';

/** Bytes that are sent at a time. */
const together = 256 * 1024;
const comma = encodeText(',');

/** The bytes of the envelope with a large page in it. */
export async function* inParts({ parts }: LargeAnswer): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of piecesOf(parts)) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < together) continue;
    yield Buffer.concat(pieces);
    pieces = [];
    bytes = 0;
    await turn();
  }
  if (bytes > 0) yield Buffer.concat(pieces);
}

function* piecesOf(parts: LargeAnswer['parts']): Generator<Uint8Array, void> {
  yield encodeText(envelope.start);
  for (const part of parts) {
    if (typeof part === 'string') {
      yield* encoded(part);
      continue;
    }
    for (const [index, record] of part.entries()) {
      if (index > 0) yield comma;
      if (typeof record === 'string') yield* encoded(record);
      else yield record;
    }
  }
  yield encodeText(envelope.end);
}

/** No character is cut in two. */
function* encoded(text: string): Generator<Uint8Array, void> {
  for (let start = 0; start < text.length; ) {
    let end = start + together;
    const isFirstHalf = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    if (isFirstHalf) end -= 1;
    yield encodeText(text.slice(start, end));
    start = end;
  }
}
