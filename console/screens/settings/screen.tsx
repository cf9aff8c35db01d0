import { useState } from 'preact/hooks';
import type { Project } from '../../../client/admin.ts';
import { messageOf, useProjects } from '../../api.ts';
import { done } from '../../model/undo.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { NotFound } from '../../parts/not-found.tsx';
import { ErrorNote, Loaded } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { useFirstFault } from '../../parts/use-first-fault.ts';
import { markProduction, useProduction } from '../../production.ts';
import type { ScreenProps } from '../../router.ts';
import { texts } from '../../texts.ts';
import { Accounts } from './accounts.tsx';
import { DeleteProject } from './delete-project.tsx';
import { Mail } from './mail.tsx';
import { Profile } from './profile.tsx';
import { Providers } from './providers.tsx';
import { Section } from './section.tsx';
import { useSettings } from './use-settings.ts';

const { settings: words } = texts;

export function SettingsScreen({ params: { project = '' } }: ScreenProps) {
  const projects = useProjects();
  return (
    <Loaded query={projects}>
      {(list) => {
        const found = list.find(({ id }) => id === project);
        if (found) return <Settings project={found} />;
        return (
          <Page title={words.title}>
            <NotFound />
          </Page>
        );
      }}
    </Loaded>
  );
}

function Settings({ project }: { project: Project }) {
  const control = useSettings(project);
  const { auth, error, isChanged, busy } = control;
  const [generation, setGeneration] = useState(0); // another one mounts the form again
  const form = useFirstFault(error);
  const discard = () => {
    const restore = control.discard();
    const startOver = () => setGeneration((before) => before + 1);
    startOver();
    done(words.discarded, async () => {
      restore();
      startOver();
    });
  };
  const actions = (
    <>
      {isChanged && <span class="quiet">{words.notSaved}</span>}
      {isChanged && (
        <Button disabled={busy} onClick={discard}>
          {words.discard}
        </Button>
      )}
      <Button
        kind="primary"
        type="submit"
        form="settings"
        saves
        busy={busy}
        disabled={!isChanged || control.unreadable !== undefined}
      >
        {texts.save}
      </Button>
    </>
  );
  return (
    <Page title={words.title} actions={actions}>
      {error !== undefined && control.loss === undefined && <ErrorNote message={messageOf(error)} />}
      <form
        id="settings"
        ref={form}
        key={generation}
        onSubmit={(event) => {
          event.preventDefault();
          void control.save();
        }}
      >
        <Section title={words.general} hint={words.generalHint}>
          <TextField
            label={words.name}
            value={control.name}
            onInput={control.setName}
            error={control.faults.name}
            required
          />
          <TextField
            label={words.days}
            hint={words.daysHint}
            type="number"
            value={Number.isFinite(control.days) ? String(control.days) : ''}
            onInput={(text) => control.setDays(text === '' ? Number.NaN : Number(text))}
            error={control.faults['changes.days']}
            required
          />
          <ProductionMark project={project.id} />
        </Section>
        <Accounts control={control} />
        {'profile' in auth && <Profile control={control} />}
        {'mail' in auth && <Mail control={control} />}
        {'providers' in auth && <Providers control={control} />}
      </form>
      <DeleteProject project={project} />
      {control.loss !== undefined && (
        <Confirm
          project={project.id}
          title={words.loseTitle}
          action={words.loseAction}
          onConfirm={control.saveAnyway}
          onClose={control.dismiss}
        >
          <p>{control.loss}</p>
        </Confirm>
      )}
    </Page>
  );
}

function ProductionMark({ project }: { project: string }) {
  const marked = useProduction(project);
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={marked}
        onChange={(event) => markProduction(project, event.currentTarget.checked)}
      />
      <span>
        {words.production}
        <small class="quiet">{words.productionHint}</small>
      </span>
    </label>
  );
}
