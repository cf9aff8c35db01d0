import { useEffect, useRef, useState } from 'preact/hooks';
import type { AuthSettings, Project } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import { admin } from '../../api.ts';
import { type Faults, faultsOf } from '../../faults.ts';
import { sameValue } from '../../model/fields.ts';
import { findKept, keep, useKept } from '../../model/kept.ts';
import { keepSecrets, type Secrets, typedSecrets } from '../../model/typed-secrets.ts';
import { toast } from '../../parts/toasts.tsx';
import { refresh } from '../../queries.ts';
import { texts } from '../../texts.ts';
import { type Change, isEmpty, lossOf, secretsSince, sinceSent, withSecrets } from './changes.ts';

export interface SettingsControl {
  readonly name: string;
  /** How many days of changes the change feed keeps. */
  readonly days: number;
  /** The server's settings with the unsaved changes applied. */
  readonly auth: AuthSettings;
  /** The server's settings. */
  readonly saved: AuthSettings;
  /** The changes that were sent last. */
  readonly sent: AuthSettings | undefined;
  readonly isChanged: boolean;
  readonly busy: boolean;
  readonly error: unknown;
  readonly faults: Faults;
  /** What saving would lose, in the server's words. */
  readonly loss: string | undefined;
  setName(name: string): void;
  setDays(days: number): void;
  set(setting: string, value: Json): void;
  /** Typed client secrets, by the index of their provider: kept in memory, never in the browser's storage. */
  readonly secrets: Secrets;
  setSecrets(secrets: Secrets): void;
  /** Why the profile's JSON does not parse: while it does not, nothing can be saved. */
  readonly unreadable: string | undefined;
  setUnreadable(fault: string | undefined): void;
  /** Does not throw: a failure is in `error`, or in `loss`. */
  save(): Promise<void>;
  /** Saves even if values are lost. Throws if it fails. */
  saveAnyway(): Promise<void>;
  /** Returns a function that undoes it; what was typed since wins. */
  discard(): () => void;
  /** Clears the error. */
  dismiss(): void;
}

/** Editing a project's settings. Changes are kept in the browser until they are saved or discarded. */
export function useSettings(project: Project): SettingsControl {
  const start = `${project.id}/settings/`;
  const kept = useKept<Change>(start).get('all') ?? {};
  const { name, auth = {}, changes } = kept;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [, render] = useState({});
  const secrets = typedSecrets(project.id);
  const setSecrets = (next: Secrets) => {
    keepSecrets(project.id, next);
    render({});
  };
  const [unreadable, setUnreadable] = useState<string>();
  const hasSecrets = Object.keys(secrets).length > 0;
  // Callbacks that run after a request need the current values, not those of the render that started it.
  const latest = useRef(kept);
  latest.current = kept;
  const sent = useRef<AuthSettings | undefined>(undefined);
  const isOpen = useRef(true);
  useEffect(
    () => () => {
      isOpen.current = false;
    },
    [],
  );
  const write = (next: Change) => {
    setError(undefined);
    keep(`${start}all`, isEmpty(next) ? undefined : next);
  };
  const send = async (options?: { readonly confirm: 'destructive' }) => {
    setBusy(true);
    sent.current = kept.auth;
    try {
      await admin.projects.update(project.id, withSecrets(project, kept, secrets), options);
      await refresh('projects');
      // If the screen was left and opened again meanwhile, newer changes are in the storage, not in this instance.
      const current = isOpen.current ? latest.current : (findKept<Change>(`${start}all`) ?? kept);
      write(sinceSent(project, kept, current));
      setSecrets(secretsSince(secrets, typedSecrets(project.id)));
      toast({ text: texts.settings.saved });
    } catch (caught) {
      sent.current = undefined;
      throw caught;
    } finally {
      setBusy(false);
    }
  };
  return {
    name: name ?? project.name,
    days: (changes ?? project.changes).days,
    auth: { ...project.auth, ...auth },
    saved: project.auth,
    sent: sent.current,
    isChanged: hasSecrets || unreadable !== undefined || !isEmpty(kept),
    secrets,
    setSecrets,
    unreadable,
    setUnreadable,
    busy,
    error,
    faults: faultsOf(error),
    loss: lossOf(error),
    setName: (next) => {
      const { name: _, ...rest } = kept;
      write(next === project.name ? rest : { ...rest, name: next });
    },
    setDays: (days) => {
      const { changes: _, ...rest } = kept;
      write(days === project.changes.days ? rest : { ...rest, changes: { days } });
    },
    set(setting, value) {
      const { [setting]: _, ...rest } = auth;
      const isSame = sameValue(value, project.auth[setting]);
      write({ ...kept, auth: isSame ? rest : { ...rest, [setting]: value } });
    },
    async save() {
      if (busy) return;
      setError(undefined);
      await send().catch(setError);
    },
    saveAnyway: () => send({ confirm: 'destructive' }),
    discard() {
      write({});
      setSecrets({});
      setUnreadable(undefined);
      return () => {
        const now = findKept<Change>(`${start}all`);
        write({ ...kept, ...now, auth: { ...kept.auth, ...now?.auth } });
        setSecrets({ ...secrets, ...typedSecrets(project.id) });
      };
    },
    dismiss: () => setError(undefined),
  };
}
