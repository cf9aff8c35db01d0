/**
 * Ctrl or ⌘ with a letter, in either case and on any keyboard: a Russian or Greek one has another letter there, so the position
 * is taken from `code`.
 */
export function isShortcut(event: KeyboardEvent, letter: 'k' | 's' | 'z'): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return false;
  const key = event.key.toLowerCase();
  return key === letter || (!/^[a-z]$/.test(key) && event.code === `Key${letter.toUpperCase()}`);
}

/**
 * Whether a key was pressed in a list that is edited in place and has something to save, or in one of its cells, even if this
 * very key ended the edit and the input is gone.
 */
export const isFromEditedList = (event: KeyboardEvent): boolean =>
  event
    .composedPath()
    .some((place) => place instanceof Element && place.matches('.cell-editor, .grid.in-place.has-drafts'));

/**
 * Whether the key belongs to an input method's composition. In Safari the key that ends it comes after the end, and is only
 * known by its code.
 */
export const isComposing = (event: KeyboardEvent): boolean => event.isComposing || event.keyCode === 229;
