import { Failure } from '../failure.ts';
import type { Accounts, User, UserChange } from '../store/accounts.ts';
import type { AuthSettings } from '../store/project-record.ts';
import { StaleProfile } from '../store/schema.ts';
import type { AuthAsk } from './ask.ts';
import { profileOf } from './profile.ts';

export type CurrentSettings = Pick<AuthAsk, 'settings' | 'latestSettings' | 'now'>;

/** Each retry uses the newest definitions, so a third attempt is hardly ever needed. */
const mostAttempts = 20;

/** Changes a user. The profile in the body is read by the definitions that are current when it is written. */
export async function changeUser(
  accounts: Accounts,
  id: string,
  { settings, latestSettings, now }: CurrentSettings,
  read: (settings: AuthSettings) => UserChange,
): Promise<{ updated: User | undefined; settings: AuthSettings }> {
  let known = settings;
  for (let attempts = 1; attempts <= mostAttempts; attempts++) {
    try {
      return { updated: await accounts.updateUser(id, read(known), now), settings: known };
    } catch (error) {
      if (!(error instanceof StaleProfile)) throw error;
    }
    const user = await accounts.findUser(id);
    // Read after the user, so that the profile was written by these definitions or by earlier ones.
    known = await latestSettings();
    const after = user && profileOf(known).carried(user.profile);
    if (after) await accounts.replaceProfiles([{ id, before: user.profile, after }]);
  }
  throw new Failure('unavailable', 'The definitions of profiles were changed meanwhile: try again', {
    retryAfter: 1,
  });
}
