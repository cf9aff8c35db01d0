import { Failure, messageWithTrouble } from '../failure.ts';
import { idPattern, idRule } from '../model/names.ts';
import type { DumpPart } from '../store/dump.ts';
import { ProjectGone, StaleSchema } from '../store/schema.ts';
import { type Command, type CommandContext, CommandFailure } from './command.ts';
import type { Comparison } from './copy/comparison.ts';
import { copyProject, NotTheSame } from './copy/copy-project.ts';
import { pausedWebhooks } from './copy/paused-webhooks.ts';
import { type CopyPlaces, openPlaces } from './copy/places.ts';
import { type FlagValues, UsageError } from './flags.ts';
import { counted } from './terminal/colours.ts';
import { Progress } from './terminal/progress.ts';

export const copy: Command = {
  summary: 'Copies a project between data directories and PostgreSQL, in any direction',
  usage:
    ' PROJECT --from PLACE --to PLACE [--as NAME]\n\nPLACE is a data directory, not in use, or a postgres:// address',
  args: ['PROJECT'],
  flags: {
    from: { kind: 'text', summary: 'Where the project is' },
    to: { kind: 'text', summary: 'Where it is copied to; a directory is made if it is not there' },
    as: { kind: 'text', summary: 'What the copy is called; without it, as the project' },
  },
  notes: `Everything is copied: settings, definitions, records with their _id, times, owners and order, users with their
passwords, workspaces, server keys and sign-ins. Then both sides are read again and compared. The copy appears
when that is done, as a whole; what is interrupted leaves no project. Server keys name their project: a copy with another
name needs new ones.

A PostgreSQL may be in use. The copy is of the moment at which it began; definitions can't be changed meanwhile.

Exit codes:
  0  copied, and found the same
  1  refused or failed, and nothing was copied
  2  the command line can't be understood`,
  run,
};

async function run(context: CommandContext): Promise<number> {
  const { flags, out, onStop } = context;
  const as = readName(flags);
  let stopped = false;
  onStop(() => {
    stopped = true;
  });
  const places = await openPlaces(context);
  const progress = new CopyProgress(context, () => {
    if (stopped) throw new CommandFailure('nothing was copied: it was stopped');
  });
  try {
    const comparison = await orCommandFailure(() =>
      copyProject({
        from: places.from.engine,
        to: places.to.engine,
        project: flags.text('PROJECT'),
        as,
        copied: (part) => progress.copied(part),
        checked: (part) => progress.checked(part),
      }),
    );
    progress.end();
    out(conclude(flags, places, comparison, progress));
    return 0;
  } catch (error) {
    progress.end();
    if (error instanceof NotTheSame) out(error.comparison.table());
    throw error;
  } finally {
    await places.close();
  }
}

function readName(flags: FlagValues): string {
  const name = flags.text('as');
  if (name !== '' && !idPattern.test(name)) throw new UsageError(`--as ${idRule}, not '${name}'`);
  return name === '' ? flags.text('PROJECT') : name;
}

async function orCommandFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure)
      throw new CommandFailure(`nothing was copied: ${messageWithTrouble(error)}`);
    if (error instanceof ProjectGone || error instanceof StaleSchema)
      throw new CommandFailure('nothing was copied: the project was deleted meanwhile');
    throw error;
  }
}

/** Shows the progress: of copying, then of reading both sides again. */
class CopyProgress {
  readonly #screen: { readonly live: boolean; write(text: string): void };
  readonly #mayGoOn: () => void;
  #progress: Progress;
  #checking = false;
  #done = 0;
  #total = 0;
  records = 0;
  webhooks = 0;
  seconds = 0;

  constructor({ screen, err }: CommandContext, mayGoOn: () => void) {
    this.#screen = { live: screen.live, write: err };
    this.#mayGoOn = mayGoOn;
    this.#progress = this.#begin('copied ');
  }

  copied(part: DumpPart): void {
    if (part.kind === 'collections')
      this.#total = part.collections.reduce((sum, { total }) => sum + total, 0);
    if (part.kind === 'rows' && part.table === 'webhooks') this.webhooks += part.rows.length;
    this.#report(part, this.#total);
    this.records = this.#done;
  }

  checked(part: DumpPart): void {
    if (!this.#checking) {
      this.#checking = true;
      this.seconds = this.#progress.seconds;
      this.#done = 0;
      this.#progress.end();
      this.#progress = this.#begin('checked ');
    }
    this.#report(part, 2 * this.#total);
  }

  end(): void {
    this.#progress.end();
  }

  #begin(verb: string): Progress {
    return new Progress(this.#screen, Date.now, { verb, unit: 'record' });
  }

  #report(part: DumpPart, total: number): void {
    this.#mayGoOn();
    if (part.kind === 'records') this.#done += part.records.length;
    this.#progress.report(this.#done, total === 0 ? undefined : Math.min(1, this.#done / total));
  }
}

function conclude(
  flags: FlagValues,
  { from, to }: CopyPlaces,
  comparison: Comparison,
  progress: CopyProgress,
): string {
  const [project, name] = [flags.text('PROJECT'), flags.text('as')];
  const called = name === '' || name === project ? '' : ` as ${name}`;
  const { records, seconds, webhooks } = progress;
  const paused = pausedWebhooks(name === '' ? project : name, webhooks);
  return `Copied ${project} from ${from.name} to ${to.name}${called}: ${counted(records, 'record')} in ${seconds.toFixed(1)} s\n${paused}\n${comparison.table()}`;
}
