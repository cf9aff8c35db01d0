import type { JsonObject } from '../../model/json.ts';
import { counted, type Paint } from '../terminal/colours.ts';
import { fieldsOf } from './definition.ts';
import { fieldDetails, settingDetails } from './details.ts';
import { type ApplyPlan, type CollectionChange, isDestructive, isPending, type PlannedStep } from './plan.ts';

/** A plan for people: + added, ~ changed, - removed, ! if values are lost. */
export function renderPlan(plan: ApplyPlan, place: string, paint: Paint): string {
  const { project, creations, changes, deletions } = plan;
  const head = `Project ${paint('bold', project.id)} in ${place}`;
  if (!isPending(plan)) return `${head}: nothing to do\n`;
  const lines = [
    project.isNew ? added('project, which is new') : '',
    ...Object.entries(project.change).map(([key, value]) => {
      const now = project.isNew ? '' : `${tellSetting(part(project.from[key], value))} → `;
      return (project.isNew ? added : changed)(`${key} ${now}${tellSetting(value)}`);
    }),
    ...project.losses.map(({ kind, field, from, to }) =>
      kind === 'removeField'
        ? lost(`- field ${field} of auth.profile: its values are lost in all users`)
        : lost(`~ field ${field} of auth.profile: ${from} → ${to}, its values are lost in all users`),
    ),
    ...creations.map((definition) => added(`collection ${definition.id}: ${fieldNames(definition)}`)),
    ...changes.flatMap((change) => renderChange(change)),
    ...deletions.map(({ definition, records }) =>
      lost(`- collection ${definition.id}: it and ${counted(records, 'record')} are lost`),
    ),
  ].filter((line) => line !== '');
  return `${head}\n${lines.map((line) => `  ${line}\n`).join('')}${summary(plan)}\n`;

  function added(text: string): string {
    return paint('green', `+ ${text}`);
  }
  function changed(text: string): string {
    return paint('yellow', `~ ${text}`);
  }
  function lost(text: string): string {
    return paint('red', `! ${text}`);
  }
  function renderChange(change: CollectionChange): string[] {
    const { id, records, steps, contradiction } = change;
    const first = contradiction?.first.map(({ id: record, reason }) => `${record} (${reason})`).join(', ');
    return [
      changed(`collection ${id}, ${counted(records, 'record')}`),
      ...steps.map((step) => `    ${renderStep(change, step)}`),
      ...(contradiction
        ? [
            `    ${lost(`${counted(contradiction.records, 'record')} ${contradiction.records === 1 ? 'contradicts' : 'contradict'} it: ${first}`)}`,
          ]
        : []),
    ];
  }
  function renderStep(change: CollectionChange, step: PlannedStep): string {
    const { sign, text } = tell(change, step);
    if (step.destructive) return lost(`${sign} ${text}, lost in ${counted(step.records, 'record')}`);
    return sign === '+' ? added(text) : sign === '~' ? changed(text) : paint('red', `- ${text}`);
  }
}

function tell(change: CollectionChange, step: PlannedStep): { sign: '+' | '~' | '-'; text: string } {
  const { kind, field = '', from, to } = step;
  const single = fieldsOf(change.to).has(field) || fieldsOf(change.from).has(field);
  const index = single ? `index on ${field}` : `index (${field})`;
  switch (kind) {
    case 'renameCollection':
      return { sign: '~', text: `name ${from} → ${to}` };
    case 'addField':
      return { sign: '+', text: `field ${field}: ${describe(fieldsOf(change.to).get(field))}` };
    case 'removeField':
      return { sign: '-', text: `field ${field}` };
    case 'renameField':
      return { sign: '~', text: `field ${from} is renamed ${field}` };
    case 'changeType':
      return { sign: '~', text: `field ${field}: ${from} → ${to}` };
    case 'changeField':
      return { sign: '~', text: `field ${field}: ${fieldDetails(change, step)}` };
    case 'addUnique':
      return { sign: '+', text: `unique on ${field}` };
    case 'dropUnique':
      return { sign: '-', text: `unique on ${field}` };
    case 'addIndex':
      return { sign: '+', text: index };
    case 'dropIndex':
      return { sign: '-', text: index };
    case 'reorderFields':
      return { sign: '~', text: `order of the fields: ${fieldNames(change.to)}` };
    case 'changeSettings':
      return { sign: '~', text: settingDetails(change) };
  }
}

function describe({ type, ...rest }: JsonObject = {}): string {
  const rules = Object.entries(rest).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  return [type, ...rules].join(', ');
}

function fieldNames(definition: JsonObject): string {
  const names = [...fieldsOf(definition).keys()];
  return names.length === 0 ? 'no fields' : names.join(', ');
}

/** Without secrets: plans end up in the logs of whatever runs them. */
function tellSetting(value: unknown): string {
  return JSON.stringify(value, (key, one) => (key === 'clientSecret' ? '(not shown)' : one));
}

/** The part of the current settings that changes. */
function part(now: unknown, wanted: unknown): unknown {
  if (typeof wanted !== 'object' || wanted === null || typeof now !== 'object' || now === null) return now;
  return Object.fromEntries(Object.entries(now).filter(([key]) => Object.hasOwn(wanted, key)));
}

function summary(plan: ApplyPlan): string {
  const { creations, changes, deletions } = plan;
  const text = `${creations.length} to create, ${changes.length} to change, ${deletions.length} to delete`;
  return isDestructive(plan) ? `${text}; values are lost where it says '!'` : text;
}
