import { type LinkKind, linkKinds } from '../../model/mail-settings.ts';

/** The pages that links in mails lead to if an app has none: plain, and the same for every project. */

interface PageTexts {
  readonly title: string;
  readonly text: string;
  readonly form: string;
  readonly done: string;
}

const password = (label: string, complete: string) =>
  `<label>${label} <input type="password" name="password" required minlength="8" maxlength="256" autocomplete="${complete}"></label>`;

const pageTexts: Readonly<Record<LinkKind, PageTexts>> = {
  reset: {
    title: 'A new password',
    text: 'Choose a new password of at least 8 characters. You will be signed out everywhere.',
    form: `${password('New password', 'new-password')} <button>Set the password</button>`,
    done: 'Your password is changed. Sign in with it in the app.',
  },
  verify: {
    title: 'Confirm your address',
    text: 'Confirm that the address the mail was sent to is yours, and that you created the account.',
    form: `<button>Confirm</button>
<button value="reject" data-done="Whoever created the account can't use it any more. You need not do anything else.">I created no account</button>`,
    done: 'Your address is confirmed. You can close this page.',
  },
  email: {
    title: 'Confirm your new address',
    text: 'Confirm that your account should use the address the mail was sent to.',
    form: '<button>Confirm</button>',
    done: 'Your account now uses the new address. You can close this page.',
  },
  invite: {
    title: 'An invitation',
    text: 'To accept, sign in with the address the mail was sent to, or create an account for it.',
    form: `<label>Address <input type="email" name="email" required maxlength="254" autocomplete="username"></label>
${password('Password', 'current-password')}
<button value="login">Sign in and accept</button>
<button value="register">Create an account and accept</button>
<button value="decline">Sign in and decline</button>`,
    done: 'Done. Continue in the app.',
  },
};

export const pageKinds: readonly string[] = linkKinds;

export function mailPage(kind: LinkKind): string {
  const { title, text, form, done } = pageTexts[kind];
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
