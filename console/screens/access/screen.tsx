import type { Definition } from '../../../client/admin.ts';
import { messageOf } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { CollectionPage, WithCollection } from '../../parts/collection-page.tsx';
import { FormField } from '../../parts/form-field.tsx';
import { Badge, ErrorNote } from '../../parts/notes.tsx';
import { toast } from '../../parts/toasts.tsx';
import { Tokens } from '../../parts/tokens.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { usePhone } from '../../parts/use-media.ts';
import type { ScreenProps } from '../../router.ts';
import { texts } from '../../texts.ts';
import { Explain } from './explain.tsx';
import { LevelSelect } from './level-select.tsx';
import {
  type Api,
  collectionLevel,
  hasLevel,
  isOn,
  isPublicWrite,
  type MethodName,
  methods,
  ownLevel,
  requests,
  withMethod,
} from './methods.ts';
import { dropChange, keepChange, saveChanges, useChanges } from './use-changes.ts';

const { access: words } = texts;

export function AccessScreen({ params }: ScreenProps) {
  const { project = '' } = params;
  return (
    <WithCollection params={params}>
      {(definition) => <Access project={project} definition={definition} />}
    </WithCollection>
  );
}

function Access({ project, definition }: { project: string; definition: Definition }) {
  const { id, name = id, fields = {} } = definition;
  const change = useChanges(project).get(id);
  const api = change?.api ?? definition.api ?? {};
  const setApi = (next: Api) => keepChange(project, definition, change, next);
  const save = useDeed(async () => {
    if (!change) return;
    await saveChanges(project, [[definition, change]]);
    toast({ text: words.saved });
  });
  const actions = (
    <>
      {change && (
        <Button disabled={save.busy} onClick={() => dropChange(project, id)}>
          {words.discard}
        </Button>
      )}
      <Button kind="primary" saves busy={save.busy} disabled={!change} onClick={() => void save.run()}>
        {words.save}
      </Button>
    </>
  );
  return (
    <CollectionPage
      project={project}
      collection={definition}
      called={words.collectionTitle(name)}
      intro={words.intro}
      actions={actions}
    >
      {save.error !== undefined && <ErrorNote message={messageOf(save.error)} />}
      <FormField label={words.whole}>
        {({ id: control }) => (
          <div id={control} class="input-wide">
            <LevelSelect
              label={words.whole}
              value={collectionLevel(api)}
              onChange={(level) => level !== 'inherit' && setApi({ ...api, access: level })}
            />
          </div>
        )}
      </FormField>
      <div class="table-wrap">
        <table class="table methods">
          <thead>
            <tr>
              <th scope="col">{words.method}</th>
              <th scope="col" class="wide-only">
                {words.request}
              </th>
              <th scope="col">{words.on}</th>
              <th scope="col">{words.level}</th>
            </tr>
          </thead>
          <tbody>
            {methods.map((method) => (
              <MethodRow key={method} api={api} method={method} onChange={setApi} />
            ))}
          </tbody>
        </table>
      </div>
      <div class="narrow-page">
        <FormField label={words.distinctFields} hint={words.distinctHint}>
          {(ids) => (
            <Tokens
              ids={ids}
              values={api.methods?.distinct?.fields ?? []}
              suggestions={Object.keys(fields)}
              onChange={(values) => setApi(withMethod(api, 'distinct', { fields: values }))}
            />
          )}
        </FormField>
      </div>
      <Explain project={project} collection={id} />
    </CollectionPage>
  );
}

interface RowProps {
  readonly api: Api;
  readonly method: MethodName;
  readonly onChange: (api: Api) => void;
}

function MethodRow({ api, method, onChange }: RowProps) {
  const label = words.methods[method];
  const phone = usePhone();
  return (
    <tr>
      <th scope="row">
        {label} {isPublicWrite(api, method) && <Badge kind="bad">{words.publicWrite}</Badge>}
      </th>
      <td class="mono quiet wide-only">{requests[method]}</td>
      <td>
        <input
          type="checkbox"
          aria-label={words.switchOf(label)}
          checked={isOn(api, method)}
          onChange={(event) => onChange(withMethod(api, method, { enabled: event.currentTarget.checked }))}
        />
      </td>
      <td>
        {hasLevel(method) ? (
          <LevelSelect
            label={words.levelOf(label)}
            value={ownLevel(api, method)}
            inherited={collectionLevel(api)}
            short={phone}
            alarm={isPublicWrite(api, method)}
            disabled={!isOn(api, method)}
            onChange={(access) => onChange(withMethod(api, method, { access }))}
          />
        ) : (
          <span class="quiet">{method === 'batch' ? words.asOperations : words.asViewAll}</span>
        )}
      </td>
    </tr>
  );
}
