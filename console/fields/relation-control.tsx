import { useState } from 'preact/hooks';
import { isPlural, labelField, relationTarget } from '../model/fields.ts';
import { labelOf, labelsOf } from '../model/labels.ts';
import { CreateInside } from '../screens/record/create-inside.tsx';
import { type ControlProps, textOf } from './control.tsx';
import { RelationPicker } from './relation-picker.tsx';

export function RelationControl({ ids, project, all, field, value, onChange }: ControlProps) {
  const [creating, setCreating] = useState<string>();
  const target = all.find(({ id }) => id === relationTarget(field));
  const multiple = isPlural(field);
  const chosen = Array.isArray(value) ? value.map(textOf) : value ? [textOf(value)] : [];
  const change = (next: readonly string[]) => onChange(multiple ? [...next] : (next[0] ?? null));
  const label = labelField(target);
  return (
    <>
      <RelationPicker
        ids={ids}
        project={project}
        target={target}
        value={chosen}
        multiple={multiple}
        onChange={change}
        onCreate={setCreating}
      />
      {creating !== undefined && target && (
        <CreateInside
          project={project}
          definition={target}
          all={all}
          start={label === undefined || creating === '' ? {} : { [label]: creating }}
          onClose={() => setCreating(undefined)}
          onCreated={(record) => {
            labelsOf(project, target).set(record._id, labelOf(target, record));
            change(multiple ? [...chosen, record._id] : [record._id]);
            setCreating(undefined);
          }}
        />
      )}
    </>
  );
}
