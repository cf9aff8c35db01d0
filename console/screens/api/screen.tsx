import { useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { messageOf } from '../../api.ts';
import { readableQuery, readListQuery, writeListQuery } from '../../model/list-query.ts';
import { Button } from '../../parts/button.tsx';
import { CodeEditor } from '../../parts/code-editor.tsx';
import { CollectionPage, WithCollection } from '../../parts/collection-page.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { SelectField, TextField } from '../../parts/form-field.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import type { ScreenProps } from '../../router.ts';
import { currentPlace, serverBase } from '../../router.ts';
import { sessionToken } from '../../session.ts';
import { texts } from '../../texts.ts';
import { codeOf, isRead, type Language, languages, pathOf, type RequestName, requestNames } from './code.ts';

const { api: words } = texts;

export function ApiScreen({ params }: ScreenProps) {
  const { project = '' } = params;
  return (
    <WithCollection params={params}>
      {(definition) => <Api project={project} definition={definition} />}
    </WithCollection>
  );
}

function Api({ project, definition }: { project: string; definition: Definition }) {
  const { id, name = id } = definition;
  const [request, setRequest] = useState<RequestName>('viewAll');
  const [language, setLanguage] = useState<Language>('curl');
  const [query, setQuery] = useState(
    () =>
      readableQuery(writeListQuery({ ...readListQuery(currentPlace().query), open: undefined })) ||
      'perPage=5',
  );
  const what = { base: serverBase, project, definition, request, query };
  const code = codeOf(what, language);
  return (
    <CollectionPage
      project={project}
      collection={definition}
      called={words.title(name)}
      intro={words.intro}
      actions={
        <>
          <a class="button" href={`${serverBase}/v1/${project}/_docs`} target="_blank" rel="noreferrer">
            {words.docs}
          </a>
          <a
            class="button"
            href={`${serverBase}/v1/${project}/_openapi.json`}
            target="_blank"
            rel="noreferrer"
          >
            {words.openapi}
          </a>
        </>
      }
    >
      <div class="rule-grid">
        <SelectField
          label={words.method}
          value={request}
          onChange={setRequest}
          options={requestNames.map((one) => [one, texts.access.methods[one]])}
        />
        <SelectField
          label={words.language}
          value={language}
          onChange={setLanguage}
          options={languages.map((one) => [one, one])}
        />
        {request === 'viewAll' && (
          <TextField label={words.query} hint={words.queryHint} value={query} onInput={setQuery} />
        )}
      </div>
      <section class="code-block" aria-label={words.code}>
        <CopyButton text={code} />
        <pre>{code}</pre>
      </section>
      {isRead(request) && request !== 'view' && <Try key={pathOf(what)} path={pathOf(what)} />}
    </CollectionPage>
  );
}

interface Answer {
  readonly status: number;
  readonly ms: number;
  readonly text: string;
}

/** Sends a read request with the administrator's own token. */
function Try({ path }: { path: string }) {
  const [answer, setAnswer] = useState<Answer>();
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    setError(undefined);
    const start = performance.now();
    try {
      const response = await fetch(serverBase + path, {
        headers: { authorization: `Bearer ${sessionToken()}` },
      });
      const text = pretty(await response.text());
      setAnswer({ status: response.status, ms: Math.round(performance.now() - start), text });
    } catch (caught) {
      setError(messageOf(caught));
    }
    setBusy(false);
  };
  return (
    <section class="stack">
      <p class="more-line">
        <Button kind="primary" busy={busy} onClick={() => void send()}>
          {words.send}
        </Button>
        <span class="quiet">{answer ? words.answer(answer.status, answer.ms) : words.asYou}</span>
      </p>
      {error !== undefined && <ErrorNote message={error} />}
      {answer && <CodeEditor key={answer.text} label={words.answerLabel} start={answer.text} readOnly />}
    </section>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).slice(0, 200_000);
  } catch {
    return text.slice(0, 200_000);
  }
}
