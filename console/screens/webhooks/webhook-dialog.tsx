import type { NewWebhook, Webhook } from '../../../client/admin.ts';
import { admin, useCollections } from '../../api.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { FormField, TextField } from '../../parts/form-field.tsx';
import { toast } from '../../parts/toasts.tsx';
import { Tokens } from '../../parts/tokens.tsx';
import { type Form, useForm } from '../../parts/use-form.ts';
import { refresh } from '../../queries.ts';
import { texts } from '../../texts.ts';

const { webhooks: words } = texts;
const kinds = ['create', 'update', 'delete'] as const;

type Draft = Required<NewWebhook>;

interface CreateProps {
  readonly project: string;
  readonly onMade: (secret: string | undefined) => void;
  readonly onClose: () => void;
}

export function CreateWebhook({ project, onMade, onClose }: CreateProps) {
  const make = async (draft: Draft) => {
    const { secret, name } = await admin.project(project).webhooks.create(sent(draft));
    onMade(secret);
    toast({ text: words.made(name) });
    void refresh('project', project, 'webhooks');
  };
  const form = useForm<Draft>({ name: '', url: '', collections: [], kinds, fields: null }, make, onClose);
  return <WebhookForm {...{ project, form, onClose }} title={words.create} action={texts.create} />;
}

interface EditProps {
  readonly project: string;
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

export function EditWebhook({ project, webhook, onClose }: EditProps) {
  const { name, url, collections, kinds: sentKinds, fields } = webhook;
  const save = async (draft: Draft) => {
    await admin.project(project).webhooks.update(webhook._id, sent(draft));
    toast({ text: words.saved(draft.name) });
    void refresh('project', project, 'webhooks');
  };
  const form = useForm<Draft>({ name, url, collections, kinds: sentKinds, fields }, save, onClose);
  return <WebhookForm {...{ project, form, onClose }} title={words.editTitle(name)} action={texts.save} />;
}

/** `fields` is allowed only together with exactly one collection. */
const sent = (draft: Draft): NewWebhook => ({
  ...draft,
  fields: draft.collections.length === 1 && draft.fields?.length ? draft.fields : null,
});

interface FormProps {
  readonly project: string;
  readonly title: string;
  readonly action: string;
  readonly form: Form<Draft>;
  readonly onClose: () => void;
}

function WebhookForm({ project, title, action, form, onClose }: FormProps) {
  const { data: collections = [] } = useCollections(project);
  const { values, fault, set } = form;
  const [only = '', ...others] = values.collections;
  const definition = others.length === 0 ? collections.find(({ id }) => id === only) : undefined;
  return (
    <FormDialog title={title} action={action} form={form} onClose={onClose}>
      <TextField label={words.name} hint={words.nameHint} {...form.text('name')} required />
      <TextField
        label={words.url}
        hint={words.urlHint}
        type="url"
        placeholder="https://example.com/hooks"
        {...form.text('url')}
        required
      />
      <FormField label={words.collections} hint={words.collectionsHint} error={fault('collections')}>
        {(ids) => (
          <Tokens
            ids={ids}
            values={values.collections}
            suggestions={collections.map(({ id }) => id)}
            onChange={(chosen) => set({ collections: [...new Set(chosen)] })}
          />
        )}
      </FormField>
      <Kinds chosen={values.kinds} error={fault('kinds')} onChange={(chosen) => set({ kinds: chosen })} />
      {definition && (
        <FormField label={words.fields} hint={words.fieldsHint} error={fault('fields')}>
          {(ids) => (
            <Tokens
              ids={ids}
              values={values.fields ?? []}
              suggestions={Object.keys(definition.fields ?? {})}
              onChange={(fields) => set({ fields: [...new Set(fields)] })}
            />
          )}
        </FormField>
      )}
    </FormDialog>
  );
}

interface KindsProps {
  readonly chosen: readonly string[];
  readonly error: string | undefined;
  readonly onChange: (kinds: readonly string[]) => void;
}

function Kinds({ chosen, error, onChange }: KindsProps) {
  return (
    <fieldset class="field webhook-kinds">
      <legend>{words.kinds}</legend>
      {kinds.map((kind) => (
        <label key={kind} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(kind)}
            onChange={({ currentTarget }) =>
              onChange(kinds.filter((one) => (one === kind ? currentTarget.checked : chosen.includes(one))))
            }
          />
          <span>{words.kindNames[kind]}</span>
        </label>
      ))}
      {error !== undefined && <p class="field-error">{error}</p>}
    </fieldset>
  );
}
