import { type LinkKind, linkKinds } from '../../model/mail-settings.ts';

/** The pages that links in mails lead to where an app has none: plain, and the same for every project. */

interface Words {
  readonly title: string;
  readonly text: string;
  readonly form: string;
  readonly done: string;
}

const password = (label: string, complete: string) =>
  `<label>${label} <input type="password" name="password" required minlength="8" maxlength="256" autocomplete="${complete}"></label>`;

const words: Readonly<Record<LinkKind, Words>> = {
  reset: {
    title: 'A new password',
    text: 'Choose a new password of at least 8 characters. You will be signed out everywhere.',
    form: `${password('New password', 'new-password')} <button>Set the password</button>`,
    done: 'Your password is changed. Sign in with it in the app.',
  },
  verify: {
    title: 'Confirm your address',
    text: 'Confirm that the address to which the mail came is yours, and that it was you who made the account with it.',
    form: `<button>Confirm</button>
<button value="reject" data-done="Whoever made the account can't use it any more. Nothing else is to be done.">I made no account</button>`,
    done: 'Your address is confirmed. You can close this page.',
  },
  email: {
    title: 'Confirm your new address',
    text: 'Confirm that your account is to have the address to which the mail came.',
    form: '<button>Confirm</button>',
    done: 'Your account has the new address from now on. You can close this page.',
  },
  invite: {
    title: 'An invitation',
    text: 'Sign in with the address to which the mail came, or make an account for it, to accept.',
    form: `<label>Address <input type="email" name="email" required maxlength="254" autocomplete="username"></label>
${password('Password', 'current-password')}
<button value="login">Sign in and accept</button>
<button value="register">Make an account and accept</button>
<button value="decline">Sign in and decline</button>`,
    done: 'Done. Go on in the app.',
  },
};

export const pageKinds: readonly string[] = linkKinds;

export function mailPage(kind: LinkKind): string {
  const { title, text, form, done } = words[kind];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="stylesheet" href="../style.css">
<script type="module" src="../script.js"></script>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
<form method="post">
${form}
</form>
<output data-done="${done}" role="status"></output>
<noscript><p>This page needs JavaScript.</p></noscript>
</main>
</body>
</html>
`;
}
