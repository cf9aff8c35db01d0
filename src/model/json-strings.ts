/** The keys in a text that is JSON, each as often as it is there. */
export function countKeys(text: string): number {
  let count = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = stringEnd(text, start);
    if (isKey(text, end)) count += 1;
    start = text.indexOf('"', end);
  }
  return count;
}

/** Where the string that begins at `start` ends, its closing quote included. */
export function stringEnd(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
  } while (isEscaped(text, end));
  return end + 1;
}

/** `from`: a place before it that is not within an escape, so that it need not look further back. */
export function isEscaped(text: string, index: number, from = 0): boolean {
  let before = index;
  while (before > from && text.charCodeAt(before - 1) === 0x5c) before--;
  return (index - before) % 2 === 1;
}

/** Whether the string that ends before `end` is one. */
export function isKey(text: string, end: number): boolean {
  let next = end;
  while (text.charCodeAt(next) <= 0x20) next++;
  return text.charCodeAt(next) === 0x3a;
}
