import { useEffect, useRef, useState } from 'preact/hooks';
import type { Account, ExplainedCaller, Explanation } from '../../../client/admin.ts';
import { admin, everyPage, messageOf } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { SelectField, TextField } from '../../parts/form-field.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { useQuery } from '../../queries.ts';
import { currentPlace } from '../../router.ts';
import { texts } from '../../texts.ts';
import { type MethodName, methods } from './methods.ts';

const { access: words } = texts;
type Kind = 'nobody' | 'user' | 'key';

/** The answer to a question, or why there is none. */
interface Told {
  readonly asked: string;
  readonly answer?: Explanation;
  readonly error?: string;
}

/** Asks the server what a caller may do with this collection, and why. */
export function Explain({ project, collection }: { project: string; collection: string }) {
  const [kind, setKind] = useState<Kind>('nobody');
  const [who, setWho] = useState('');
  const [workspace, setWorkspace] = useState('');
  const [method, setMethod] = useState<MethodName>('view');
  const [record, setRecord] = useState(() => new URLSearchParams(currentPlace().query).get('record') ?? '');
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (record !== '') section.current?.scrollIntoView({ block: 'start' });
  }, []);
  const [told, setTold] = useState<Told>();
  const question = {
    ...{ caller: callerOf(kind, who, workspace), collection, method },
    ...(record !== '' && { _id: record }),
  };
  const asked = JSON.stringify(question);
  /** The last question: the answer to an earlier one may arrive later. */
  const latest = useRef('');
  // An answer is hidden as soon as the question changes.
  const { answer, error } = told?.asked === asked ? told : {};
  const ask = async (event: Event) => {
    event.preventDefault();
    setTold(undefined);
    latest.current = asked;
    const outcome = await admin
      .project(project)
      .explain(question)
      .then(
        (answer) => ({ asked, answer }),
        (caught: unknown) => ({ asked, error: messageOf(caught) }),
      );
    if (latest.current === asked) setTold(outcome);
  };
  return (
    <section class="explain stack" ref={section}>
      <h2>{words.explainTitle}</h2>
      <p class="quiet">{words.explainIntro}</p>
      <form class="stack" onSubmit={ask}>
        <div class="rule-grid">
          <SelectField
            label={words.caller}
            value={kind}
            onChange={(next) => {
              setKind(next);
              setWho('');
            }}
            options={[
              ['nobody', words.callerNobody],
              ['user', words.callerUser],
              ['key', words.callerKey],
            ]}
          />
          {kind === 'user' && <PickUser project={project} value={who} onChange={setWho} />}
          {kind === 'user' && (
            <TextField
              label={words.workspace}
              hint={words.workspaceHint}
              value={workspace}
              onInput={setWorkspace}
            />
          )}
          {kind === 'key' && <PickKey project={project} value={who} onChange={setWho} />}
          <SelectField
            label={words.method}
            value={method}
            onChange={setMethod}
            options={methods.map((one) => [one, words.methods[one]])}
          />
          <TextField label={words.recordId} hint={words.recordHint} value={record} onInput={setRecord} />
        </div>
        <div>
          <Button type="submit" disabled={kind !== 'nobody' && who === ''}>
            {words.ask}
          </Button>
        </div>
      </form>
      <div aria-live="polite">
        {answer && <Answer answer={answer} />}
        {error !== undefined && <ErrorNote message={error} />}
      </div>
    </section>
  );
}

function callerOf(kind: Kind, who: string, workspace: string): ExplainedCaller {
  switch (kind) {
    case 'nobody':
      return 'nobody';
    case 'user':
      return { user: who, ...(workspace !== '' && { workspace }) };
    case 'key':
      return { key: who };
  }
}

function Answer({ answer: { allowed, status, reasons } }: { answer: Explanation }) {
  const title = allowed ? words.allowed(status) : status === 200 ? words.notAmong : words.refused(status);
  return (
    <div class={`note ${allowed ? 'good' : 'error'}`}>
      <div>
        <strong>{title}</strong>
        <ul>
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}

interface PickProps {
  readonly project: string;
  readonly value: string;
  readonly onChange: (id: string) => void;
}

function PickUser({ project, value, onChange }: PickProps) {
  const [search, setSearch] = useState('');
  const found = useQuery({
    key: ['project', project, 'users', 'explain', search],
    load: (signal) =>
      admin.project(project).users.list({ perPage: 20, signal, ...(search !== '' && { search }) }),
    keepLast: true,
  });
  const users = found.data?.found ?? [];
  // The chosen user stays in the list even if the next search does not find them, because the question is about them.
  const [chosen, setChosen] = useState<Account>();
  const shown = chosen && !users.some(({ _id }) => _id === chosen._id) ? [chosen, ...users] : users;
  return (
    <>
      <TextField label={words.userHint} type="search" value={search} onInput={setSearch} />
      <SelectField
        label={words.user}
        value={value}
        onChange={(id) => {
          setChosen(shown.find(({ _id }) => _id === id));
          onChange(id);
        }}
        options={[['', ''], ...shown.map(({ _id, email }) => [_id, email] as const)]}
      />
    </>
  );
}

function PickKey({ project, value, onChange }: PickProps) {
  const keys = useQuery({
    key: ['project', project, 'keys'],
    load: () => everyPage((page) => admin.project(project).keys.list(page)),
  });
  return (
    <SelectField
      label={words.key}
      value={value}
      onChange={onChange}
      options={[['', ''], ...(keys.data ?? []).map(({ _id, name }) => [_id, name] as const)]}
    />
  );
}
