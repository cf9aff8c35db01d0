import { useState } from 'preact/hooks';
import { fieldsOf } from '../../model/fields.ts';
import { TextField } from '../../parts/form-field.tsx';
import { isProduction } from '../../production.ts';
import { texts } from '../../texts.ts';
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx';

export function BulkDelete(props: BulkProps) {
  const { project, definition, all, selection } = props;
  const [typed, setTyped] = useState('');
  // Prevents accidental deletions of more than a screenful, or of an unknown number, and any in production.
  const mustType = selection.kind === 'all' || selection.ids.size > 25 || isProduction(project);
  const ready = !mustType || typed === definition.id;
  const pointing = all.filter((other) =>
    fieldsOf(other).some(({ type, to }) => type === 'relation' && to === definition.id),
  );
  return (
    <BulkDialog
      {...props}
      title={selection.kind === 'all' ? texts.bulk.deleteAll : texts.bulk.deleteSome(selection.ids.size)}
      button={{ label: texts.remove, kind: 'danger', ready }}
      each={(batch, id) => batch.delete(id)}
    >
      <div class="stack">
        <p>{texts.bulk.deleteIntro}</p>
        {pointing.length > 0 && (
          <p>{texts.bulk.pointing(pointing.map(({ id, name }) => name ?? id).join(', '))}</p>
        )}
        {mustType && (
          <TextField label={texts.typeToConfirm(definition.id)} value={typed} onInput={setTyped} />
        )}
      </div>
    </BulkDialog>
  );
}
