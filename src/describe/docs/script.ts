/**
 * The page's script, as one function without imports, as its source text is sent to the browser. The page can be read without it;
 * it adds a search, a token to see and send more, and forms that send requests.
 */
export function docsScript(): void {
  const find = <T extends Element>(selector: string, inside: ParentNode = document): T => {
    const found = inside.querySelector<T>(selector);
    if (!found) throw new Error(`there is no ${selector}`);
    return found;
  };
  const here = new URL(location.href);
  const project = new URL('.', here).href.replace(/\/$/, '');
  const server = new URL('../..', here).href.replace(/\/$/, '');
  const kept = `vitrine docs ${project}`;
  /** Most characters of a response that are shown. */
  const mostShown = 200_000;
  let token = sessionStorage.getItem(kept) ?? '';

  /** Inserts the real URLs, which were unknown when the page was made. */
  function fillIn(): void {
    for (const one of document.querySelectorAll('.base')) one.textContent = project;
    for (const one of document.querySelectorAll('.root')) one.textContent = server;
    for (const form of document.querySelectorAll<HTMLFormElement>('form.send')) {
      form.hidden = false;
      form.onsubmit = (event) => {
        event.preventDefault();
        void send(form);
      };
    }
    search();
  }

  function search(): void {
    const words = find<HTMLInputElement>('.search input').value.toLowerCase().split(/\s+/);
    const fits = (text: string) => words.every((word) => text.toLowerCase().includes(word));
    for (const one of document.querySelectorAll<HTMLElement>('[data-search]')) {
      const fields = one.closest('.collection')?.querySelector('.fields')?.textContent ?? '';
      one.hidden = !fits(`${one.dataset.search} ${one.tagName === 'LI' ? '' : fields}`);
    }
    for (const section of document.querySelectorAll<HTMLElement>('section.collection')) {
      section.hidden = !section.querySelector('.operation:not([hidden])');
    }
  }

  const headers = () => (token === '' ? new Headers() : new Headers({ authorization: `Bearer ${token}` }));

  /** Loads the page as the owner of the token sees it. */
  async function load(): Promise<void> {
    const status = find<HTMLOutputElement>('.token output');
    const answer = await fetch(here.href.replace(/#.*/, ''), { headers: headers() });
    const text = await answer.text();
    status.classList.toggle('bad', !answer.ok);
    find<HTMLElement>('.drop').hidden = token === '';
    if (!answer.ok) {
      status.textContent = (JSON.parse(text) as { error: string }).error;
      fillIn(); // the page stays as it is without a token
      return;
    }
    const page = new DOMParser().parseFromString(text, 'text/html');
    for (const part of ['nav', 'main']) find(part).replaceWith(document.adoptNode(find(part, page)));
    status.textContent = token === '' ? '' : 'In use';
    fillIn();
  }

  async function use(next: string): Promise<void> {
    token = next.trim();
    if (token === '') sessionStorage.removeItem(kept);
    else sessionStorage.setItem(kept, token);
    await load();
  }

  async function send(form: HTMLFormElement): Promise<void> {
    const output = find<HTMLOutputElement>('output', form);
    const line = document.createElement('p');
    const shown = document.createElement('pre');
    output.replaceChildren(line, shown);
    output.hidden = false;
    line.textContent = 'Sending…';
    const path = find<HTMLInputElement>('[name=path]', form).value;
    const body = form.querySelector<HTMLTextAreaElement>('[name=body]')?.value;
    const sent = headers();
    if (body !== undefined) sent.set('content-type', 'application/json');
    const start = performance.now();
    try {
      const answer = await fetch(project + path, {
        method: form.dataset.verb ?? 'GET',
        headers: sent,
        ...(body !== undefined && { body }),
      });
      const text = await answer.text();
      line.textContent = `${answer.status} ${answer.statusText} in ${Math.round(performance.now() - start)} ms`;
      line.className = answer.ok ? '' : 'bad';
      const isJson = answer.headers.get('content-type')?.includes('application/json');
      const whole = isJson ? JSON.stringify(JSON.parse(text), null, 2) : text;
      shown.textContent = whole.slice(0, mostShown);
    } catch (error) {
      line.className = 'bad';
      line.textContent = String(error);
      shown.remove();
    }
  }

  /** Gets the token of an administrator who is signed in to the console, in this tab or another. */
  function askConsole(): void {
    const key = `vitrine ${server}/_console/`;
    const own = JSON.parse(sessionStorage.getItem(key) ?? 'null') as { token?: string } | null;
    if (own?.token) {
      void use(own.token);
      return;
    }
    const status = find<HTMLOutputElement>('.token output');
    const channel = new BroadcastChannel(key);
    const over = setTimeout(() => {
      status.textContent = 'Nobody is signed in to the console';
      channel.close();
    }, 500);
    channel.onmessage = ({ data }: MessageEvent<{ kind: string; signedIn?: { token: string } }>) => {
      if (data.kind !== 'in' || !data.signedIn) return;
      clearTimeout(over);
      channel.close();
      void use(data.signedIn.token);
    };
    channel.postMessage({ kind: 'ask' });
  }

  const tokenForm = find<HTMLFormElement>('form.token');
  const searchForm = find<HTMLFormElement>('form.search');
  tokenForm.hidden = false;
  searchForm.hidden = false;
  searchForm.addEventListener('input', search);
  searchForm.addEventListener('submit', (event) => event.preventDefault());
  tokenForm.addEventListener('submit', (event) => {
    event.preventDefault();
    const input = find<HTMLInputElement>('input', tokenForm);
    const next = input.value;
    input.value = '';
    void use(next);
  });
  find('.drop').addEventListener('click', () => void use(''));
  find('.console').addEventListener('click', askConsole);
  document.addEventListener('keydown', (event) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (event.key !== '/' || typing) return;
    event.preventDefault();
    find<HTMLInputElement>('.search input').focus();
  });
  if (token === '') fillIn();
  else void load();
}
