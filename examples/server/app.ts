import { Hono } from 'hono';
import { html } from 'hono/html';
import { createClient, VitrineError } from 'vitrine/client';
import type { library } from '../library.ts';
import { cookieStorage } from './cookie-storage.ts';

/** Pages rendered on the server: the browser gets no script and never sees a token that is good for anything by itself. */
export function createApp(vitrine: string, { secure = true } = {}): Hono {
  const app = new Hono();

  /** Each request has its own client, so that visitors never share a session. */
  const answer = async (
    request: Request,
    work: (v: ReturnType<typeof createClient<typeof library>>) => Promise<Response>,
  ): Promise<Response> => {
    const storage = cookieStorage(request, secure);
    const v = createClient<typeof library>(vitrine, { project: 'library', storage });
    let response: Response;
    try {
      response = await work(v);
    } catch (error) {
      if (!(error instanceof VitrineError)) throw error;
      if (error.status === 401) await storage.removeItem('');
      response = await page(
        html`<p role="alert">${error.message}</p><p><a href="/">Back</a></p>`,
        error.status || 502,
      );
    }
    for (const cookie of storage.changes.values()) response.headers.append('set-cookie', cookie);
    return response;
  };
  const back = () => new Response(null, { status: 303, headers: { location: '/' } });

  app.get('/', ({ req }) =>
    answer(req.raw, async (v) => {
      const user = await v.auth.user();
      if (!user) return page(signInForm);
      const { found } = await v.wishes.list({ sort: '-_createdAt', perPage: 100 });
      return page(html`
        <p>Signed in as ${user.email}</p>
        <form method="post" action="/wishes"><input name="title" aria-label="Title" required><button>Add</button></form>
        <ul>${found.map(({ title }) => html`<li>${title}</li>`)}</ul>
        <form method="post" action="/logout"><button>Sign out</button></form>`);
    }),
  );
  for (const way of ['login', 'register'] as const) {
    app.post(`/${way}`, ({ req }) =>
      answer(req.raw, async (v) => {
        const form = await req.formData();
        const account = { email: String(form.get('email')), password: String(form.get('password')) };
        if (way === 'register') await v.auth.register(account);
        else {
          const { factorToken } = await v.auth.login(account);
          if (factorToken) return page(factorForm(factorToken));
        }
        return back();
      }),
    );
  }
  app.post('/factor', ({ req }) =>
    answer(req.raw, async (v) => {
      const form = await req.formData();
      await v.auth.factor({ factorToken: String(form.get('factorToken')), code: String(form.get('code')) });
      return back();
    }),
  );
  app.post('/wishes', ({ req }) =>
    answer(req.raw, async (v) => {
      await v.wishes.create({ title: String((await req.formData()).get('title')) });
      return back();
    }),
  );
  app.post('/logout', ({ req }) =>
    answer(req.raw, async (v) => {
      await v.auth.logout();
      return back();
    }),
  );
  return app;
}

const signInForm = html`
  <form method="post" action="/login">
    <input name="email" type="email" aria-label="Email" required>
    <input name="password" type="password" aria-label="Password" required>
    <button>Sign in</button> <button formaction="/register">Register</button>
  </form>`;

/** For an account with a second factor. Without the code this token is of no use. */
const factorForm = (factorToken: string) => html`
  <form method="post" action="/factor">
    <input name="factorToken" value="${factorToken}" type="hidden">
    <input name="code" aria-label="Code" autocomplete="one-time-code" required>
    <button>Sign in</button>
  </form>`;

/** `html` escapes its values. */
async function page(content: ReturnType<typeof html>, status = 200): Promise<Response> {
  const whole =
    await html`<!doctype html><html lang="en"><title>Wishes</title><h1>Wishes</h1>${content}</html>`;
  return new Response(String(whole), { status, headers: { 'content-type': 'text/html; charset=utf-8' } });
}
