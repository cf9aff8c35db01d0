/**
 * Ctrl or ⌘ with a letter, in whatever case and on whatever keyboard: one for Russian or Greek has another letter there, and what
 * the place is called is told by `code`.
 */
export function isShortcut(event: KeyboardEvent, letter: 'k' | 's' | 'z'): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return false;
  const key = event.key.toLowerCase();
  return key === letter || (!/^[a-z]$/.test(key) && event.code === `Key${letter.toUpperCase()}`);
}

/**
 * Whether a key was pressed in a list that is edited in place and has something to save, or in one of its cells; also where
 * this very key ended the edit and the box is gone.
 */
export const isFromEditedList = (event: KeyboardEvent): boolean =>
  event
    .composedPath()
    .some((place) => place instanceof Element && place.matches('.cell-editor, .grid.in-place.has-drafts'));

/** Whether the key belongs to a word that is being composed. In Safari the one that ends it comes after the end, told by its code. */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;
