import { createHash } from 'node:crypto';
import type { Route } from './route.ts';

/** The page behind the one-time set-up link. The token stands behind the #, so it is in no log and no referrer. */
const script = `
const form = document.querySelector('form');
const message = document.querySelector('output');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const token = location.hash.slice(1);
  const { email, password } = Object.fromEntries(new FormData(form));
  const answer = await fetch('/v1/_admin/setup', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, email, password }),
  });
  const { ok, error } = await answer.json();
  message.textContent = ok ? 'Done: you are the administrator. Sign in with POST /v1/_admin/login.' : error;
  if (ok) form.querySelector('button').disabled = true;
});
`;

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 24rem; margin: 4rem auto; padding: 0 1rem; }
label { display: block; margin: 1rem 0; }
input, button { font: inherit; width: 100%; padding: .5rem; box-sizing: border-box; }
output { display: block; margin-top: 1rem; }
`;

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Set up Vitrine</title>
<style>${style}</style>
<h1>Set up Vitrine</h1>
<p>Choose who administers this instance. This link works once.</p>
<form>
  <label>Email <input name="email" type="email" autocomplete="username" required></label>
  <label>Password <input name="password" type="password" autocomplete="new-password" minlength="8" maxlength="256" required></label>
  <button>Become the administrator</button>
  <output></output>
</form>
<script>${script}</script>
</html>
`;

const source = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `script-src ${source(script)}`,
    `style-src ${source(style)}`,
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

export function consoleRoutes(): Route[] {
  return [
    {
      path: '/_console/setup',
      cors: false,
      verbs: { GET: async () => new Response(page, { headers }) },
    },
  ];
}
