import { apiFlags, withApi } from './api/open-api.ts';
import { readDefinitionFile } from './apply/definition-file.ts';
import { type ApplyPlan, isDestructive, isPending, makePlan } from './apply/plan.ts';
import { renderPlan } from './apply/render.ts';
import { runPlan } from './apply/run-plan.ts';
import { type Command, type CommandContext, CommandFailure } from './command.ts';
import { painter } from './terminal/colours.ts';

const changesPending = 3;

export const apply: Command = {
  summary: 'Brings a project to what a definition file says, and shows the plan before',
  usage: ' FILE [flags]\n\nFILE is JSON, or TypeScript or JavaScript that exports defineProject({ … })',
  args: ['FILE'],
  flags: {
    'dry-run': { kind: 'switch', summary: 'Prints the plan and changes nothing' },
    check: { kind: 'switch', summary: 'Like --dry-run, with exit code 3 where changes are pending' },
    'confirm-destructive': {
      kind: 'switch',
      summary: "Also does what loses values: the lines with '!' in the plan",
    },
    ...apiFlags,
  },
  notes: `In the plan: + added, ~ changed, - removed, ! loses values.

Exit codes:
  0  done, or nothing to do
  1  refused or failed; a collection is changed as a whole or not at all
  2  the command line can't be understood
  3  changes are pending (only with --check)`,
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { flags, runtime, out, screen } = context;
  const check = flags.on('check');
  const quiet = check || flags.on('dry-run');
  const file = await readDefinitionFile(flags.text('FILE'), runtime);
  return withApi(context, quiet ? 'empty' : 'make', async (api) => {
    const plan = await makePlan(api, file);
    out(renderPlan(plan, api.name, painter(screen.colour)));
    if (!isPending(plan)) return 0;
    if (quiet) return check ? changesPending : 0;
    refuse(plan, flags.on('confirm-destructive'));
    await runPlan(api, plan, flags.on('confirm-destructive'));
    out('Done\n');
    return 0;
  });
}

/** Checked before anything is changed: a plan that can't be completed is not begun. */
function refuse(plan: ApplyPlan, confirmed: boolean): void {
  const against = plan.changes.filter(({ contradiction }) => contradiction).map(({ id }) => id);
  if (against.length > 0) {
    throw new CommandFailure(
      `nothing was changed: records in ${against.join(', ')} contradict the file; change them first`,
    );
  }
  if (isDestructive(plan) && !confirmed) {
    throw new CommandFailure(
      "nothing was changed: the plan loses values where it says '!'; give --confirm-destructive to do it anyway",
    );
  }
}
