import { useState } from 'preact/hooks';
import type { Project } from '../../../client/admin.ts';
import { admin, faultsOf, messageOf, useProjects } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/form-field.tsx';
import { Empty, ErrorNote, Loaded } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { toast } from '../../parts/toasts.tsx';
import { isProduction, markProduction } from '../../production.ts';
import { refresh } from '../../queries.ts';
import type { ScreenProps } from '../../router.ts';
import { texts } from '../../texts.ts';
import { DeleteProject } from './delete-project.tsx';

const { projects: words } = texts;

export function SettingsScreen({ params: { project = '' } }: ScreenProps) {
  const projects = useProjects();
  return (
    <Page title={words.settings}>
      <Loaded query={projects}>
        {(list) => {
          const found = list.find(({ id }) => id === project);
          if (!found) return <Empty title={texts.notFound} />;
          return (
            <div class="narrow-page stack">
              <SettingsForm key={found.id} project={found} />
              <ProductionMark project={project} />
              <DeleteProject project={found} />
            </div>
          );
        }}
      </Loaded>
    </Page>
  );
}

function SettingsForm({ project }: { project: Project }) {
  const [name, setName] = useState(project.name);
  const [registration, setRegistration] = useState(project.auth.registration ?? 'open');
  const [minutes, setMinutes] = useState(String(project.auth.accessTokenMinutes ?? 15));
  const [days, setDays] = useState(String(project.auth.refreshTokenDays ?? 30));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const faults = faultsOf(error);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await admin.projects.update(project.id, {
        name,
        auth: { registration, accessTokenMinutes: Number(minutes), refreshTokenDays: Number(days) },
      });
      await refresh('projects');
      toast({ text: words.saved });
    } catch (caught) {
      setError(caught);
    }
    setBusy(false);
  };
  return (
    <form class="stack" onSubmit={submit}>
      <TextField label={words.name} value={name} onInput={setName} error={faults.name} required />
      <SelectField
        label={words.registration}
        value={registration}
        onChange={setRegistration}
        options={[
          ['open', words.registrationOpen],
          ['closed', words.registrationClosed],
        ]}
      />
      <div class="columns">
        <TextField
          label={words.accessTokenMinutes}
          type="number"
          value={minutes}
          onInput={setMinutes}
          error={faults['auth.accessTokenMinutes']}
        />
        <TextField
          label={words.refreshTokenDays}
          type="number"
          value={days}
          onInput={setDays}
          error={faults['auth.refreshTokenDays']}
        />
      </div>
      {error !== undefined && Object.keys(faults).length === 0 && <ErrorNote message={messageOf(error)} />}
      <div>
        <Button kind="primary" type="submit" busy={busy}>
          {texts.save}
        </Button>
      </div>
    </form>
  );
}

function ProductionMark({ project }: { project: string }) {
  const [marked, setMarked] = useState(() => isProduction(project));
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={marked}
        onChange={(event) => {
          markProduction(project, event.currentTarget.checked);
          setMarked(event.currentTarget.checked);
          void refresh('projects');
        }}
      />
      <span>
        {words.production}
        <small class="quiet">{words.productionHint}</small>
      </span>
    </label>
  );
}
