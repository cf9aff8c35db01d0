import type { Field } from '../../../client/admin.ts';
import { useProjects } from '../../api.ts';
import { Control } from '../../fields/control.tsx';
import { labelOfField, type NamedField, type Values } from '../../model/fields.ts';
import { FormField } from '../../parts/form-field.tsx';
import type { Form } from '../../parts/use-form.ts';
import { texts } from '../../texts.ts';

const { users: words } = texts.people;

/** The profile fields that the project defines for its users. */
export function useProfileFields(project: string): readonly NamedField[] {
  const { data = [] } = useProjects();
  const profile = data.find(({ id }) => id === project)?.auth.profile;
  const fields = (profile ?? {}) as Readonly<Record<string, Field>>;
  return Object.entries(fields).map(([name, field]) => ({ ...field, name }));
}

/** Where the server's messages about a profile field are. */
const profilePlace = ({ name }: NamedField) => `profile.${name}`;

/** The places whose messages the dialogs of users show. */
export const placesWith = (fields: readonly NamedField[]): readonly string[] => [
  ...['email', 'name', 'password'],
  ...fields.map(profilePlace),
];

interface ProfileControlsProps {
  readonly project: string;
  readonly fields: readonly NamedField[];
  readonly form: Pick<Form<{ readonly profile: Values }>, 'values' | 'fault' | 'set'>;
}

export function ProfileControls({ project, fields, form: { values, fault, set } }: ProfileControlsProps) {
  if (fields.length === 0) return null;
  return (
    <fieldset class="stack profile">
      <legend>{words.profile}</legend>
      {fields.map((field) => (
        <FormField
          key={field.name}
          label={labelOfField(field)}
          hint={field.description}
          error={fault(profilePlace(field))}
          {...(field.required && { aside: <small class="quiet">{texts.required}</small> })}
        >
          {(ids) => (
            <Control
              {...{ ids, project, field }}
              all={[]}
              value={field.name in values.profile ? values.profile[field.name] : field.default}
              onChange={(value) => set({ profile: { ...values.profile, [field.name]: value } })}
            />
          )}
        </FormField>
      ))}
    </fieldset>
  );
}
