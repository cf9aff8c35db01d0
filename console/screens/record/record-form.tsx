import { Undo2 } from 'lucide';
import type { Definition } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import { type Faults, faultAt } from '../../faults.ts';
import { Control } from '../../fields/control.tsx';
import { fieldsOf, labelOfField, type NamedField, sameValue, type Values } from '../../model/fields.ts';
import { Button } from '../../parts/button.tsx';
import { FormField } from '../../parts/form-field.tsx';
import { Badge } from '../../parts/notes.tsx';
import { texts } from '../../texts.ts';

interface RecordFormProps {
  readonly project: string;
  readonly definition: Definition;
  readonly all: readonly Definition[];
  /** The values without the changes. */
  readonly base: Values;
  readonly changes: Values;
  readonly faults: Faults;
  readonly onChange: (name: string, value: Json | undefined) => void;
}

/** A control for each field, with its error, and a mark if it was changed. */
export function RecordForm({ project, definition, all, base, changes, faults, onChange }: RecordFormProps) {
  return (
    <div class="stack">
      {fieldsOf(definition).map((field) => {
        const { name } = field;
        const changed = name in changes;
        const value = changed ? changes[name] : base[name];
        const set = (next: Json) => onChange(name, sameValue(next, base[name]) ? undefined : next);
        return (
          <FormField
            key={name}
            label={
              <>
                {labelOfField(field)}
                {field.required && (
                  <span class="star" title={texts.required}>
                    {' *'}
                  </span>
                )}
              </>
            }
            hint={hintOf(field)}
            error={faultAt(faults, name)}
            aside={
              <span class="row">
                {changed && (
                  <Button
                    kind="quiet"
                    icon={Undo2}
                    label={texts.record.resetField(labelOfField(field))}
                    class="small"
                    onClick={() => onChange(name, undefined)}
                  />
                )}
                {changed && <Badge kind="warn">{texts.record.changed}</Badge>}
                <Badge>{typeText(field)}</Badge>
              </span>
            }
          >
            {(ids) => (
              <Control ids={ids} project={project} all={all} field={field} value={value} onChange={set} />
            )}
          </FormField>
        );
      })}
    </div>
  );
}

function typeText(field: NamedField): string {
  if (field.type === 'relation') return `→ ${field.to}${field.kind === 'multiple' ? ' *' : ''}`;
  return field.type;
}

function hintOf(field: NamedField): string | undefined {
  const { description, minLength, maxLength, integer, min, max, pattern, unique } = field;
  const rules = [
    minLength !== undefined && texts.rules.minLength(Number(minLength)),
    maxLength !== undefined && texts.rules.maxLength(Number(maxLength)),
    integer && texts.rules.integer,
    min !== undefined && texts.rules.min(String(min)),
    max !== undefined && texts.rules.max(String(max)),
    pattern !== undefined && texts.rules.pattern(String(pattern)),
    unique && texts.rules.unique,
  ].filter((rule) => typeof rule === 'string');
  return [description, rules.join(', ')].filter(Boolean).join(' · ') || undefined;
}
