/**
 * Ctrl or ⌘ with a letter, in whatever case and on whatever keyboard: one for Russian or Greek has another letter there, and what
 * the place is called is told by `code`.
 */
export function isShortcut(event: KeyboardEvent, letter: 'k' | 's' | 'z'): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return false;
  const key = event.key.toLowerCase();
  return key === letter || (!/^[a-z]$/.test(key) && event.code === `Key${letter.toUpperCase()}`);
}
