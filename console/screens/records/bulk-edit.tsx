import { useState } from 'preact/hooks';
import { Control } from '../../fields/control.tsx';
import { emptyValue, fieldsOf, labelOfField, type Values } from '../../model/fields.ts';
import { FormField } from '../../parts/form-field.tsx';
import { texts } from '../../texts.ts';
import { BulkDialog, type BulkProps } from './bulk-dialog.tsx';

/** One form for many records: only the fields that are ticked are changed. */
export function BulkEdit(props: BulkProps) {
  const { project, definition, all, selection } = props;
  const [values, setValues] = useState<Values>({});
  const changed = Object.keys(values).length;
  const toggle = (name: string, start: Values[string]) => {
    const { [name]: _, ...others } = values;
    setValues(name in values ? others : { ...values, [name]: start });
  };
  return (
    <BulkDialog
      {...props}
      title={selection.kind === 'all' ? texts.bulk.editAll : texts.bulk.editSome(selection.ids.size)}
      button={{ label: texts.bulk.change(changed), kind: 'primary', ready: changed > 0 }}
      isChanged={changed > 0}
      each={(batch, id) => batch.update(id, values)}
    >
      <ul class="stack">
        {fieldsOf(definition)
          .filter(({ unique }) => !unique)
          .map((field) => (
            <li key={field.name}>
              <label class="check">
                <input
                  type="checkbox"
                  checked={field.name in values}
                  onChange={() => toggle(field.name, emptyValue(field))}
                />
                <span>{texts.bulk.changeField(labelOfField(field))}</span>
              </label>
              {field.name in values && (
                <FormField label={<span class="visually-hidden">{labelOfField(field)}</span>}>
                  {(ids) => (
                    <Control
                      ids={ids}
                      project={project}
                      all={all}
                      field={field}
                      value={values[field.name]}
                      onChange={(value) => setValues({ ...values, [field.name]: value })}
                    />
                  )}
                </FormField>
              )}
            </li>
          ))}
      </ul>
    </BulkDialog>
  );
}
