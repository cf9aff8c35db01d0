import { useEffect, useRef, useState } from 'preact/hooks';
import type { AuthSettings, Project } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import { admin, faultsOf } from '../../api.ts';
import { sameValue } from '../../model/fields.ts';
import { findKept, keep, useKept } from '../../model/kept.ts';
import { keepSecrets, type Secrets, typedSecrets } from '../../model/typed-secrets.ts';
import { toast } from '../../parts/toasts.tsx';
import { refresh } from '../../queries.ts';
import { texts } from '../../texts.ts';
import { type Change, isEmpty, lossOf, secretsSince, sinceSent, withSecrets } from './changes.ts';

export interface SettingsControl {
  readonly name: string;
  /** For which the change feed remembers. */
  readonly days: number;
  /** As they are shown: those of the server, with what was changed. */
  readonly auth: AuthSettings;
  /** Those of the server. */
  readonly saved: AuthSettings;
  /** What of them was sent last. */
  readonly sent: AuthSettings | undefined;
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
  readonly secrets: Secrets;
  setSecrets(secrets: Secrets): void;
  /** What is wrong with a text that can't be read yet: until it can, nothing is saved. */
  readonly unreadable: string | undefined;
  setUnreadable(fault: string | undefined): void;
  /** What is wrong is in `error`, or in `loss`. */
  save(): Promise<void>;
  /** Also what loses values. Fails where it is not done. */
  saveAnyway(): Promise<void>;
  /** What it gives brings it back, below what was typed since. */
  discard(): () => void;
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
  const [, render] = useState({});
  const secrets = typedSecrets(project.id);
  const setSecrets = (next: Secrets) => {
    keepSecrets(project.id, next);
    render({});
  };
  const [unreadable, setUnreadable] = useState<string>();
  const hasSecrets = Object.keys(secrets).length > 0;
  // As they are when an answer comes, not as they were when it was asked for.
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
      // Whoever left and came back has typed into another form.
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
