import type { MailKind } from '../store/account-mails.ts';

/** The mails of projects without their own templates. */
export const texts: Readonly<Record<MailKind, { readonly subject: string; readonly text: string }>> = {
  reset: {
    subject: 'A new password for {project}',
    text: `Somebody, probably you, asked for a new password for your account {email} in {project}. Choose it here:

{link}

The link works once, for one hour. If it was not you, there is nothing to do: your password stays as it is.`,
  },
  verify: {
    subject: 'Confirm your address for {project}',
    text: `Please confirm that {email} is the address of your account in {project}:

{link}

The link works once, for 24 hours. If you made no account there, do not confirm: whoever made it could use it in your name.`,
  },
  email: {
    subject: 'Confirm your new address for {project}',
    text: `Please confirm that your account in {project} should use the address {email} from now on:

{link}

The link works once, for 24 hours. If you have no account there, there is nothing to do.`,
  },
  invite: {
    subject: 'An invitation to {project}',
    text: `You are invited to the workspace '{workspace}' in {project}. Accept or decline here:

{link}

The invitation is for {email} and valid for seven days. If you don't expect it, there is nothing to do.`,
  },
  emailAsked: {
    subject: 'Your address in {project} is about to change',
    text: `Somebody, probably you, asked to change the address of your account {email} in {project} to {newEmail}. It changes as soon as the new
address is confirmed.

If it was not you, choose a new password now: that cancels the change, and ends every session.`,
  },
  emailChanged: {
    subject: 'Your address in {project} has changed',
    text: `Your account {email} in {project} now uses the address {newEmail}. You can no longer sign in with this one.

If it was not you, tell whoever runs {project}.`,
  },
};
