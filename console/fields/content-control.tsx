import { Eye, Maximize2, PencilLine } from 'lucide';
import { useState } from 'preact/hooks';
import { countText } from '../format.ts';
import { textOf } from '../model/fields.ts';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { texts } from '../texts.ts';
import type { ControlProps } from './control-props.ts';
import { MarkdownPreview } from './markdown-preview.tsx';

/** Characters from which on spell-checking is off, as it would take seconds. */
const long = 50_000;

/** Markdown, HTML or any other text: its source, and a preview as Markdown; on request in the whole window. */
export function ContentControl(props: ControlProps) {
  const [whole, setWhole] = useState(false);
  const [preview, setPreview] = useState(false);
  const text = textOf(props.value);
  const bar = (
    <div class="row">
      <Button
        kind="quiet"
        icon={preview ? PencilLine : Eye}
        pressed={preview}
        onClick={() => setPreview(!preview)}
      >
        {preview ? texts.content.source : texts.content.preview}
      </Button>
      {!whole && (
        <Button kind="quiet" icon={Maximize2} label={texts.content.whole} onClick={() => setWhole(true)} />
      )}
      <small class="quiet">{texts.content.length(countText(text.length))}</small>
    </div>
  );
  const box = preview ? (
    <MarkdownPreview text={text} />
  ) : (
    <textarea
      {...props.ids}
      class="input content-box"
      dir="auto"
      rows={whole ? 24 : 8}
      value={text}
      spellcheck={text.length < long}
      onInput={({ currentTarget }) => props.onChange(currentTarget.value || null)}
    />
  );
  if (!whole) {
    return (
      <div class="content-control">
        {box}
        {bar}
      </div>
    );
  }
  return (
    <div class="content-control">
      <p class="quiet">{texts.content.openAbove}</p>
      <Dialog title={props.field.label ?? props.field.name} wide onClose={() => setWhole(false)} footer={bar}>
        {box}
      </Dialog>
    </div>
  );
}
