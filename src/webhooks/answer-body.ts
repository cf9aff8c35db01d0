/** How the end of an answer is found. endless: only by the end of the connection, which can't be reused then. */
export type AnswerBody =
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'endless' };

/** Takes a body piece by piece. Returns how many bytes of the piece are after its end; undefined: it has not ended yet. */
export type FindEnd = (piece: Buffer) => number | undefined;

/** Most bytes of a line between two chunks. */
const longestLine = 1024;

/** Decides by the headers of an HTTP/1.1 answer. Anything unclear counts as endless. */
export function bodyOf(status: number, values: (name: string) => readonly string[]): AnswerBody {
  if (values('connection').some((value) => /\bclose\b|\bupgrade\b/i.test(value))) return { kind: 'endless' };
  const [encodings, lengths] = [values('transfer-encoding'), values('content-length')];
  if (status === 204 || status === 304) return { kind: 'length', bytes: 0 };
  if (encodings.length === 1 && lengths.length === 0 && /^chunked$/i.test(encodings[0] ?? '')) {
    return { kind: 'chunked' };
  }
  if (lengths.length === 1 && encodings.length === 0 && /^\d{1,15}$/.test(lengths[0] ?? '')) {
    return { kind: 'length', bytes: Number(lengths[0]) };
  }
  return { kind: 'endless' };
}

export function endFinder(body: AnswerBody): FindEnd {
  switch (body.kind) {
    case 'length':
      return endOfLength(body.bytes);
    case 'chunked':
      return endOfChunks();
    case 'endless':
      return () => undefined;
  }
}

function endOfLength(bytes: number): FindEnd {
  let left = bytes;
  return (piece) => {
    left -= piece.length;
    return left <= 0 ? -left : undefined;
  };
}

/** Throws if a chunk size is invalid. */
function endOfChunks(): FindEnd {
  let skip = 0;
  let line = '';
  let isLast = false;
  return (piece) => {
    for (let at = skip; ; ) {
      if (at > piece.length) {
        skip = at - piece.length;
        return undefined;
      }
      skip = 0;
      const feed = piece.indexOf(10, at);
      line += piece.toString('latin1', at, feed < 0 ? piece.length : feed);
      if (line.length > longestLine) throw new Error('a line between two chunks is too long');
      if (feed < 0) return undefined;
      const text = line.trim();
      line = '';
      at = feed + 1;
      if (isLast && text === '') return piece.length - at;
      if (isLast) continue;
      const size = Number.parseInt(/^([0-9a-f]{1,8})(?:\s*;|$)/i.exec(text)?.[1] ?? '', 16);
      if (Number.isNaN(size)) throw new Error('the size of a chunk is none');
      if (size === 0) isLast = true;
      else at += size + 2;
    }
  };
}
