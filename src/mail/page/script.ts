/**
 * The script of the pages, as one function without imports, because its source text is sent to the browser. The token is in the
 * fragment, which reaches no server and no log. Only a POST spends it, so that programs that open links in mails do not.
 */
export function mailScript(): void {
  const [, kind = '', project = ''] = /\/_mail\/(\w+)\/([^/]+)$/.exec(location.pathname) ?? [];
  const base = new URL(`../../v1/${project}/_auth/`, location.href);
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get('token') ?? '';
  const form = document.querySelector('form');
  const output = document.querySelector('output');
  if (!form || !output) return;

  function show(text: string, good: boolean): void {
    if (!output) return;
    output.textContent = text;
    output.className = good ? 'good' : 'bad';
  }

  async function post(path: string, body: object, accessToken = ''): Promise<Record<string, unknown>> {
    const headers = {
      'content-type': 'application/json',
      ...(accessToken !== '' && { authorization: `Bearer ${accessToken}` }),
    };
    const answer = await fetch(new URL(path, base), { method: 'POST', headers, body: JSON.stringify(body) });
    const { result, error } = (await answer.json()) as { result: Record<string, unknown>; error: string };
    if (!answer.ok) throw new Error(error);
    return result;
  }

  async function send(values: FormData, choice: string): Promise<void> {
    const password = String(values.get('password') ?? '');
    if (kind === 'reset') await post('reset', { token, password });
    else if (kind === 'verify') await post(choice === 'reject' ? 'verify/reject' : 'verify', { token });
    else if (kind === 'email') await post('email/confirm', { token });
    else if (kind === 'invite') {
      const account = { email: String(values.get('email')), password };
      const { accessToken, refreshToken } = await post(choice === 'register' ? 'register' : 'login', account);
      if (!accessToken)
        throw new Error('This account has a second factor: accept the invitation in the app.');
      const invitation = `invitations/${encodeURIComponent(given.get('invitation') ?? '')}`;
      try {
        if (choice === 'decline') await post(`${invitation}/decline`, {}, String(accessToken));
        else await post(`${invitation}/accept`, { token }, String(accessToken));
      } finally {
        await post('logout', { refreshToken });
      }
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const pressed = event.submitter instanceof HTMLButtonElement ? event.submitter : undefined;
    const choice = pressed?.value ?? '';
    const buttons = form.querySelectorAll('button');
    for (const button of buttons) button.disabled = true;
    show('', true);
    send(new FormData(form), choice).then(
      () => {
        form.hidden = true;
        show(pressed?.dataset.done ?? output.dataset.done ?? '', true);
      },
      (error: Error) => {
        for (const button of buttons) button.disabled = false;
        show(error.message, false);
      },
    );
  });
  if (token === '') show('The link is incomplete: copy all of it from the mail.', false);
}
