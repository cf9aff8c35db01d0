import { useState } from 'preact/hooks';
import type { Definition } from '../../../client/admin.ts';
import { type AnyRecord, fieldsOf, labelOfField, sameValue, type Values } from '../../model/fields.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Value } from '../../parts/value.tsx';
import { texts } from '../../texts.ts';

interface ConflictProps {
  readonly project: string;
  readonly definition: Definition;
  readonly all: readonly Definition[];
  /** As it was when editing began. */
  readonly base: AnyRecord;
  /** The version that somebody else has saved meanwhile. */
  readonly theirs: AnyRecord;
  readonly mine: Values;
  readonly onSave: (values: Values) => void;
  readonly onTheirs: () => void;
  readonly onClose: () => void;
}

/** Resolves a conflict: shows each field as it was, as the user and as the other changed it, and lets the user choose. */
export function Conflict({ project, definition, all, base, theirs, mine, ...on }: ConflictProps) {
  const fields = fieldsOf(definition).filter(
    ({ name }) => name in mine || !sameValue(theirs[name], base[name]),
  );
  const both = fields.filter(
    ({ name }) =>
      name in mine && !sameValue(theirs[name], base[name]) && !sameValue(theirs[name], mine[name]),
  );
  const [taken, setTaken] = useState<Readonly<Record<string, 'mine' | 'theirs'>>>({});
  const choiceOf = (name: string) => taken[name] ?? (name in mine ? 'mine' : 'theirs');
  const save = () =>
    on.onSave(
      Object.fromEntries(
        Object.entries(mine).filter(
          ([name, value]) => choiceOf(name) === 'mine' && !sameValue(value, theirs[name]),
        ),
      ),
    );
  const footer = (
    <>
      <Button onClick={on.onTheirs}>{texts.conflict.takeTheirs}</Button>
      <Button kind="primary" onClick={save}>
        {texts.conflict.save}
      </Button>
    </>
  );
  return (
    <Dialog title={texts.conflict.title} wide onClose={on.onClose} footer={footer}>
      <p>{both.length > 0 ? texts.conflict.both(both.length) : texts.conflict.apart}</p>
      <div class="table-wrap">
        <table class="table conflict">
          <thead>
            <tr>
              <th scope="col">{texts.conflict.field}</th>
              <th scope="col" class="wide-only">
                {texts.conflict.base}
              </th>
              <th scope="col">{texts.conflict.mine}</th>
              <th scope="col">{texts.conflict.theirs}</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => {
              const { name } = field;
              const label = labelOfField(field);
              const cell = (value: Values[string] | undefined) => (
                <Value project={project} all={all} field={field} value={value} />
              );
              const option = (one: 'mine' | 'theirs', value: Values[string] | undefined) => (
                <label class="check">
                  <input
                    type="radio"
                    name={`conflict-${name}`}
                    checked={choiceOf(name) === one}
                    disabled={!(name in mine)}
                    aria-label={`${label}: ${texts.conflict[one]}`}
                    onChange={() => setTaken({ ...taken, [name]: one })}
                  />
                  <span class="anywhere">{cell(value)}</span>
                </label>
              );
              return (
                <tr key={name} class={both.includes(field) ? 'clash' : ''}>
                  <th scope="row">{label}</th>
                  <td class="anywhere wide-only">{cell(base[name])}</td>
                  <td>{option('mine', name in mine ? mine[name] : base[name])}</td>
                  <td>{option('theirs', theirs[name])}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Dialog>
  );
}
