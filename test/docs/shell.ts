/** As much of a shell as a page's commands need: quotes, $NAME, and lines that end with a backslash. */
export function readCommands(text: string, variables: ReadonlyMap<string, string>): string[][] {
  const commands: string[][] = [];
  let words: string[] = [];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(words);
    words = [];
  };
  const tokens = /\\\n|\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"|(\n|&&)|([ \t]+)|(#.*)|([^\s\\'"#&]+)/gs;
  for (const [token, escaped, single, double, end, space, comment, bare] of text.matchAll(tokens)) {
    if (token === '\\\n' || space !== undefined) endWord();
    else if (end !== undefined) endCommand();
    else if (comment !== undefined) continue;
    else if (escaped !== undefined) word = `${word ?? ''}${escaped}`;
    else if (single !== undefined) word = `${word ?? ''}${single}`;
    else if (double !== undefined)
      word = `${word ?? ''}${filled(double.replace(/\\(["\\$])/g, '$1'), variables)}`;
    else word = `${word ?? ''}${filled(bare ?? '', variables)}`;
  }
  endCommand();
  return commands;
}

function filled(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replace(/\$(\w+)/g, (_, name: string) => {
    const value = variables.get(name);
    if (value === undefined) throw new Error(`$${name} is not set`);
    return value;
  });
}

export interface CurlRequest {
  readonly url: string;
  readonly init: RequestInit;
  /** `-i`: status and headers are shown too. */
  readonly shown: boolean;
  /** `-o`. */
  readonly output: string | undefined;
}

/** The request that a curl command sends. `file`: what `--json @name` names. */
export function readCurl(words: readonly string[], file: (name: string) => string): CurlRequest {
  const headers = new Headers();
  const queries: string[] = [];
  let [url, method, body, output]: (string | undefined)[] = [];
  let shown = false;
  let get = false;
  const rest = words.slice(1);
  const value = (flag: string) => {
    const next = rest.shift();
    if (next === undefined) throw new Error(`curl: ${flag} needs a value`);
    return next;
  };
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '-i') shown = true;
    else if (word === '-G') get = true;
    else if (word === '-X') method = value(word);
    else if (word === '-o') output = value(word);
    else if (word === '--data-urlencode') queries.push(value(word));
    else if (word === '--json') {
      const given = value(word);
      body = given.startsWith('@') ? file(given.slice(1)) : given;
      headers.set('content-type', 'application/json');
    } else if (word === '-H') {
      const [, name = '', text = ''] = /^([^:]+): *(.*)$/s.exec(value(word)) ?? [];
      headers.set(name, text);
    } else if (word.startsWith('-') || url !== undefined)
      throw new Error(`curl: '${word}' is not understood`);
    else url = word;
  }
  if (url === undefined) throw new Error('curl: there is no address');
  if (queries.length > 0 && !get) throw new Error('curl: --data-urlencode needs -G');
  const query = queries.map((text) =>
    text.replace(/=(.*)$/s, (_, part: string) => `=${encodeURIComponent(part)}`),
  );
  const init = {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers,
    ...(body !== undefined && { body }),
  };
  return { url: query.length > 0 ? `${url}?${query.join('&')}` : url, init, shown, output };
}
