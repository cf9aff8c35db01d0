import { useState } from 'preact/hooks';
import { createClient } from '../../../client/client.ts';
import { admin, isStatus, messageOf } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/form-field.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { serverBase } from '../../router.ts';
import { texts } from '../../texts.ts';
import { viewAs } from '../../viewer.ts';

type Way = 'nobody' | 'user' | 'token';

const minutes = 15;

/** Chooses in whose place the records are seen: what they may not see is not there, in lists, forms and exports alike. */
export function ViewAs({ project, onClose }: { project: string; onClose: () => void }) {
  const [way, setWay] = useState<Way>('nobody');
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const begin = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      if (way === 'nobody') viewAs({ kind: 'nobody', project });
      else if (way === 'user') viewAs(await impersonate(project, text.trim()));
      else viewAs(await tryToken(project, text.trim()));
      onClose();
    } catch (caught) {
      setError(messageOf(caught));
      setBusy(false);
    }
  };
  const footer = (
    <>
      <Button onClick={onClose}>{texts.cancel}</Button>
      <Button kind="primary" type="submit" form="view-as" busy={busy}>
        {texts.viewAs.begin}
      </Button>
    </>
  );
  return (
    <Dialog title={texts.viewAs.title} onClose={onClose} footer={footer}>
      <form id="view-as" class="stack" onSubmit={begin}>
        <p class="quiet">{texts.viewAs.intro}</p>
        <SelectField
          label={texts.viewAs.who}
          value={way}
          onChange={(next) => {
            setWay(next);
            setText('');
            setError(undefined);
          }}
          options={[
            ['nobody', texts.viewAs.nobody],
            ['user', texts.viewAs.user],
            ['token', texts.viewAs.token],
          ]}
        />
        {way === 'user' && (
          <TextField
            label={texts.viewAs.email}
            hint={texts.viewAs.userHint(minutes)}
            type="email"
            value={text}
            onInput={setText}
            required
          />
        )}
        {way === 'token' && (
          <TextField
            label={texts.viewAs.tokenLabel}
            type="password"
            value={text}
            onInput={setText}
            required
          />
        )}
        {error !== undefined && <ErrorNote message={error} />}
      </form>
    </Dialog>
  );
}

async function impersonate(project: string, email: string) {
  const { users } = admin.project(project);
  const user = (await users.list({ email })).found[0];
  if (!user) throw new Error(texts.viewAs.noUser(email));
  try {
    const { accessToken } = await users.impersonate(user._id, { minutes, reason: texts.viewAs.reason });
    return { kind: 'token', project, token: accessToken, name: user.email } as const;
  } catch (error) {
    throw isStatus(error, 404) ? new Error(texts.viewAs.notYet) : error;
  }
}

/** A token that is not good is refused here, not at the first list. */
async function tryToken(project: string, token: string) {
  const client = createClient(serverBase, { project, token });
  if (token.startsWith('vk_')) return { kind: 'token', project, token, name: texts.viewAs.aKey } as const;
  const { email } = await client.auth.me();
  return { kind: 'token', project, token, name: email } as const;
}
