/** Counts the keys in a JSON text, including duplicates. */
export function countKeys(text: string): number {
  let count = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = stringEnd(text, start);
    if (isKey(text, end)) count += 1;
    start = text.indexOf('"', end);
  }
  return count;
}

/** The end of the string that begins at `start`, after its closing quote. */
export function stringEnd(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
  } while (isEscaped(text, end));
  return end + 1;
}

/** `from`: an earlier index that is not inside of an escape sequence, so that there is no need to look further back. */
export function isEscaped(text: string, index: number, from = 0): boolean {
  let before = index;
  while (before > from && text.charCodeAt(before - 1) === 0x5c) before--;
  return (index - before) % 2 === 1;
}

/** Whether the string that ends before `end` is a key. */
export function isKey(text: string, end: number): boolean {
  let next = end;
  while (text.charCodeAt(next) <= 0x20) next++;
  return text.charCodeAt(next) === 0x3a;
}
