import { useEffect, useState } from 'preact/hooks';
import type { AuthSettings, Project } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import { admin, faultsOf, isStatus } from '../../api.ts';
import { sameValue } from '../../model/fields.ts';
import { keep, useKept } from '../../model/kept.ts';
import { askBeforeLeaving } from '../../model/page-storage.ts';
import { toast } from '../../parts/toasts.tsx';
import { refresh } from '../../queries.ts';
import { texts } from '../../texts.ts';

type JsonObject = { readonly [key: string]: Json };

/** What is not in it is as the server has it. */
interface Change {
  readonly name?: string;
  readonly auth?: AuthSettings;
  readonly changes?: { readonly days: number };
}

export interface SettingsControl {
  readonly name: string;
  /** For which the change feed remembers. */
  readonly days: number | undefined;
  /** As they are shown: those of the server, with what was changed. */
  readonly auth: AuthSettings;
  /** Those of the server. */
  readonly saved: AuthSettings;
  readonly isChanged: boolean;
  readonly busy: boolean;
  readonly error: unknown;
  readonly faults: Readonly<Record<string, string>>;
  /** What would be lost by saving, as the server says it. */
  readonly loss: string | undefined;
  setName(name: string): void;
  setDays(days: number): void;
  set(setting: string, value: Json): void;
  /** Secrets of providers that were typed, by the provider's place: in this page alone, never in the browser's storage. */
  readonly secrets: Readonly<Record<number, string>>;
  setSecrets(secrets: Readonly<Record<number, string>>): void;
  save(options?: { readonly confirm: 'destructive' }): Promise<void>;
  discard(): void;
  /** Forgets what the server said. */
  dismiss(): void;
}

/** A project's settings as they are edited. What was changed is kept in the browser until it is saved or discarded. */
export function useSettings(project: Project): SettingsControl {
  const start = `${project.id}/settings/`;
  const kept = useKept<Change>(start).get('all') ?? {};
  const { name, auth = {}, changes } = kept;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [secrets, setSecrets] = useState<Readonly<Record<number, string>>>({});
  const hasSecrets = Object.keys(secrets).length > 0;
  useEffect(() => {
    if (!hasSecrets) return;
    addEventListener('beforeunload', askBeforeLeaving);
    return () => removeEventListener('beforeunload', askBeforeLeaving);
  }, [hasSecrets]);
  const write = (next: Change) => {
    setError(undefined);
    const { auth: settings = {}, ...rest } = next;
    const isSame = Object.keys(settings).length === 0 && Object.keys(rest).length === 0;
    keep(`${start}all`, isSame ? undefined : next);
  };
  const isChanged = hasSecrets || Object.keys(auth).length > 0 || name !== undefined || changes !== undefined;
  return {
    name: name ?? project.name,
    days: (changes ?? project.changes)?.days,
    auth: { ...project.auth, ...auth },
    saved: project.auth,
    isChanged,
    secrets,
    setSecrets,
    busy,
    error,
    faults: faultsOf(error),
    loss: isStatus(error, 409) ? String((error as Error).message) : undefined,
    setName: (next) => {
      const { name: _, ...rest } = kept;
      write(next === project.name ? rest : { ...rest, name: next });
    },
    setDays: (days) => {
      const { changes: _, ...rest } = kept;
      write(days === project.changes?.days ? rest : { ...rest, changes: { days } });
    },
    set(setting, value) {
      const { [setting]: _, ...rest } = auth;
      const isSame = sameValue(value, project.auth[setting]);
      write({ ...kept, auth: isSame ? rest : { ...rest, [setting]: value } });
    },
    async save(options) {
      setBusy(true);
      setError(undefined);
      try {
        const { providers = project.auth.providers } = auth;
        const withSecrets = hasSecrets && {
          providers: (providers as readonly JsonObject[]).map((provider, at) =>
            secrets[at] === undefined ? provider : { ...provider, clientSecret: secrets[at] },
          ),
        };
        const change = { ...kept, auth: { ...auth, ...withSecrets } };
        await admin.projects.update(project.id, change, options);
        await refresh('projects');
        write({});
        setSecrets({});
        toast({ text: texts.settings.saved });
      } catch (caught) {
        setError(caught);
      }
      setBusy(false);
    },
    discard() {
      write({});
      setSecrets({});
    },
    dismiss: () => setError(undefined),
  };
}
