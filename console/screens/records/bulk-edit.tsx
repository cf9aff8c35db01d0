import { useRef, useState } from 'preact/hooks';
import { recordsOf } from '../../api.ts';
import { Control } from '../../fields/control.tsx';
import { emptyValue, fieldsOf, labelOfField, type Values } from '../../model/fields.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FormField } from '../../parts/form-field.tsx';
import { texts } from '../../texts.ts';
import type { BulkProps } from './bulk-delete.tsx';
import { BulkProgressView } from './bulk-progress.tsx';
import { type BulkProgress, runBulk } from './bulk-run.ts';

/** One form for many records: every field is kept unless it is chosen to be changed. */
export function BulkEdit({ project, definition, all, query, selection, onClose }: BulkProps) {
  const [values, setValues] = useState<Values>({});
  const [progress, setProgress] = useState<BulkProgress>();
  const stop = useRef(new AbortController());
  const changed = Object.keys(values).length;
  const run = () =>
    runBulk({
      project,
      collection: definition.id,
      query,
      selection,
      apply: (ids) =>
        recordsOf(project, definition.id).batch((batch) => {
          for (const id of ids) batch.update(id, values);
        }),
      onProgress: setProgress,
      signal: stop.current.signal,
    });
  const running = progress?.state === 'running';
  const close = () => onClose(progress !== undefined && progress.done > 0);
  const footer = progress ? (
    running ? (
      <Button onClick={() => stop.current.abort()}>{texts.stop}</Button>
    ) : (
      <Button kind="primary" onClick={close}>
        {texts.close}
      </Button>
    )
  ) : (
    <>
      <Button onClick={close}>{texts.cancel}</Button>
      <Button kind="primary" disabled={changed === 0} onClick={() => void run()}>
        {texts.bulk.change(changed)}
      </Button>
    </>
  );
  const title = selection.kind === 'all' ? texts.bulk.editAll : texts.bulk.editSome(selection.ids.size);
  const toggle = (name: string, start: Values[string]) => {
    const { [name]: _, ...others } = values;
    setValues(name in values ? others : { ...values, [name]: start });
  };
  return (
    <Dialog title={title} onClose={close} footer={footer} firm={running}>
      {progress ? (
        <BulkProgressView progress={progress} />
      ) : (
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
      )}
    </Dialog>
  );
}
