import { useContext } from 'preact/hooks';
import { isPlural, labelField, relationTarget, textOf } from '../model/fields.ts';
import { labelOf, labelsOf } from '../model/labels.ts';
import type { ControlProps } from './control-props.ts';
import { CreationContext } from './creation.ts';
import { RelationPicker } from './relation-picker.tsx';

export function RelationControl({ ids, project, all, field, value, onChange }: ControlProps) {
  const create = useContext(CreationContext);
  const target = all.find(({ id }) => id === relationTarget(field));
  const multiple = isPlural(field);
  const chosen = Array.isArray(value) ? value.map(textOf) : value ? [textOf(value)] : [];
  const change = (next: readonly string[]) => onChange(multiple ? [...next] : (next[0] ?? null));
  const label = labelField(target);
  const onCreate =
    create &&
    target &&
    ((name: string) =>
      create({
        definition: target,
        start: label === undefined || name === '' ? {} : { [label]: name },
        onCreated: (record) => {
          labelsOf(project, target).set(record._id, labelOf(target, record));
          change(multiple ? [...chosen, record._id] : [record._id]);
        },
      }));
  return (
    <RelationPicker
      ids={ids}
      project={project}
      target={target}
      value={chosen}
      multiple={multiple}
      onChange={change}
      {...(onCreate && { onCreate })}
    />
  );
}
