import { useState } from 'preact/hooks';
import type { Definition, Plan, Step } from '../../../client/admin.ts';
import { admin, messageOf } from '../../api.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/form-field.tsx';
import { Link } from '../../parts/link.tsx';
import { ErrorNote } from '../../parts/notes.tsx';
import { useDeed } from '../../parts/use-deed.ts';
import { isProduction } from '../../production.ts';
import { texts } from '../../texts.ts';

const { definition: words } = texts;

interface PlanDialogProps {
  readonly project: string;
  readonly collection: string;
  readonly definition: Definition;
  readonly plan: Plan;
  /** `now`: the definition as the server has it after the change. */
  readonly onDone: (now: Definition) => void;
  readonly onClose: () => void;
}

/** Shows the server's plan of a change and asks for confirmation. */
export function PlanDialog({ project, collection, definition, plan, onDone, onClose }: PlanDialogProps) {
  const { steps, destructive, contradiction } = plan;
  const lossy = destructive ? steps.filter(canLose) : [];
  const [typed, setTyped] = useState('');
  const change = async () => {
    const confirm = destructive ? { confirm: 'destructive' as const } : {};
    onDone(await admin.project(project).collections.change(collection, definition, confirm));
  };
  const { busy, error, run } = useDeed(change);
  const mustType = destructive && isProduction(project);
  const footer = (
    <>
      <Button disabled={busy} onClick={onClose}>
        {texts.cancel}
      </Button>
      <Button
        kind={destructive ? 'danger' : 'primary'}
        busy={busy}
        disabled={contradiction !== undefined || steps.length === 0 || (mustType && typed !== collection)}
        onClick={() => void run()}
      >
        {destructive ? words.applyLossy : words.apply}
      </Button>
    </>
  );
  return (
    <Dialog
      title={destructive ? words.lossTitle : words.planTitle}
      onClose={onClose}
      footer={footer}
      busy={busy}
      wide
    >
      <div class="stack">
        {steps.length === 0 ? <p>{words.nothing}</p> : <Steps steps={steps} lossy={lossy} />}
        {destructive && <p class="loss">{isCertain(lossy) ? words.loss : words.mayLose}</p>}
        {contradiction && (
          <div class="note error" role="alert">
            <div>
              <p>{words.contradiction(texts.records(contradiction.records))}</p>
              <ul>
                {contradiction.first.map(({ id, reason }) => (
                  <li key={id}>
                    <Link to={`/${project}/${collection}`} query={`_open=${id}`}>
                      {id}
                    </Link>{' '}
                    {reason}
                  </li>
                ))}
              </ul>
            </div>
          </div>
        )}
        {mustType && <TextField label={texts.typeToConfirm(collection)} value={typed} onInput={setTyped} />}
        {error !== undefined && <ErrorNote message={messageOf(error)} />}
      </div>
    </Dialog>
  );
}

function Steps({ steps, lossy }: { steps: readonly Step[]; lossy: readonly Step[] }) {
  return (
    <ol class="steps">
      {steps.map((step, at) => (
        <li key={at} class={lossy.includes(step) ? 'loss' : ''}>
          {sentenceOf(step)}
          {step.records !== undefined && <span class="quiet"> · {texts.records(step.records)}</span>}
        </li>
      ))}
    </ol>
  );
}

/** Only these steps can lose values. The plan says whether one of them does, but not which. */
const canLose = ({ kind }: Step) => kind === 'removeField' || kind === 'changeType';

/** Whether each of the steps that can lose values does: removed fields do, and another type does if there is nothing else that could. */
const isCertain = (lossy: readonly Step[]) =>
  lossy.length === 1 || lossy.every(({ kind }) => kind === 'removeField');

function sentenceOf({ kind, field = '', from, to }: Step): string {
  const sentence = (words.steps as Readonly<Record<string, (...parts: string[]) => string>>)[kind];
  if (!sentence) return `${kind} ${field}`;
  return kind === 'renameCollection'
    ? sentence(String(from), String(to))
    : sentence(field, String(from), String(to));
}
