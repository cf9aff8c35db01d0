import type { Json } from '../../../client/client.ts';
import { Fold } from '../../parts/fold.tsx';
import { FormField, TextField } from '../../parts/form-field.tsx';
import { texts } from '../../texts.ts';
import { Section } from './section.tsx';
import type { SettingsControl } from './use-settings.ts';

const { settings: words } = texts;
const kinds = ['reset', 'verify', 'email', 'invite'] as const;
type Kind = (typeof kinds)[number];
type Texts = Readonly<Record<string, string>>;

interface MailSettings {
  readonly senderName?: string;
  readonly links?: Texts;
  readonly templates?: Readonly<Record<string, Texts>>;
}

/** An empty text removes the entry. */
function withText(all: Texts | undefined, name: string, text: string): Texts {
  const { [name]: _, ...rest } = all ?? {};
  return text === '' ? rest : { ...rest, [name]: text };
}

const isEmpty = (value: object | undefined) => Object.keys(value ?? {}).length === 0;

const isBelow = (at: string, kind: Kind) =>
  at === `auth.mail.links.${kind}` || at.startsWith(`auth.mail.templates.${kind}`);

export function Mail({ control: { auth, faults, set } }: { control: SettingsControl }) {
  const mail = (auth.mail ?? {}) as MailSettings;
  const write = (next: MailSettings) => {
    const templates = Object.entries(next.templates ?? {}).filter(([, one]) => !isEmpty(one));
    set('mail', {
      ...(next.senderName && { senderName: next.senderName }),
      ...(!isEmpty(next.links) && { links: next.links }),
      ...(templates.length > 0 && { templates: Object.fromEntries(templates) }),
    } as Json);
  };
  const setTemplate = (kind: Kind, part: string, text: string) =>
    write({
      ...mail,
      templates: { ...mail.templates, [kind]: withText(mail.templates?.[kind], part, text) },
    });
  return (
    <Section title={words.mail} hint={words.mailHint}>
      <TextField
        label={words.senderName}
        hint={words.senderHint}
        value={mail.senderName ?? ''}
        onInput={(senderName) => write({ ...mail, senderName })}
        error={faults['auth.mail.senderName']}
      />
      {kinds.map((kind) => (
        <Fold
          key={kind}
          class="field-card"
          summary={words.kinds[kind]}
          wrong={Object.keys(faults).some((at) => isBelow(at, kind))}
        >
          <TextField
            label={words.link}
            placeholder={words.linkHint}
            value={mail.links?.[kind] ?? ''}
            onInput={(text) => write({ ...mail, links: withText(mail.links, kind, text) })}
            error={faults[`auth.mail.links.${kind}`]}
          />
          <TextField
            label={words.subject}
            value={mail.templates?.[kind]?.subject ?? ''}
            onInput={(text) => setTemplate(kind, 'subject', text)}
            error={faults[`auth.mail.templates.${kind}.subject`]}
          />
          <FormField
            label={words.text}
            hint={words.textHint}
            error={faults[`auth.mail.templates.${kind}.text`]}
          >
            {(ids) => (
              <textarea
                {...ids}
                class="input"
                rows={6}
                value={mail.templates?.[kind]?.text ?? ''}
                onInput={({ currentTarget }) => setTemplate(kind, 'text', currentTarget.value)}
              />
            )}
          </FormField>
        </Fold>
      ))}
    </Section>
  );
}
