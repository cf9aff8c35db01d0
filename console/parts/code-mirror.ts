import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';

interface EditorOptions {
  readonly label: string;
  readonly start: string;
  readonly readOnly: boolean;
  readonly onChange: (text: string) => void;
}

/** Custom properties of the page are inherited by the shadow root. */
const look = EditorView.theme({
  '&': {
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '12px', lineHeight: '20px', maxHeight: '70vh' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--quiet)', border: '0' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--selected)' },
  '.cm-matchingBracket': { backgroundColor: 'var(--selected)' },
});
const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: [tags.string], color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
]);

export function mountEditor(
  root: ShadowRoot,
  { label, start, readOnly, onChange }: EditorOptions,
): () => void {
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: start,
      extensions: [
        lineNumbers(),
        history(),
        // Without `indentWithTab`: Tab leaves the editor, so that keyboard users are not trapped in it.
        keymap.of([...defaultKeymap, ...historyKeymap]),
        json(),
        bracketMatching(),
        syntaxHighlighting(colours),
        look,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorState.readOnly.of(readOnly),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  view.scrollDOM.tabIndex = 0; // so that it can be scrolled with the keyboard
  return () => view.destroy();
}
