import type { Dump, DumpPart } from '../../store/dump.ts';
import type { Engine } from '../../store/engine.ts';
import { CommandFailure } from '../command.ts';
import { type Comparison, compare } from './comparison.ts';

export interface CopyOrder {
  readonly from: Engine;
  readonly to: Engine;
  readonly project: string;
  /** The id of the copy. */
  readonly as: string;
  /** Called with every part after it is written, or read again. An exception aborts the copy. */
  copied(part: DumpPart): void;
  checked(part: DumpPart): void;
}

/** The copy differs from the original, and was removed. */
export class NotTheSame extends CommandFailure {
  readonly comparison: Comparison;

  constructor(comparison: Comparison) {
    const { different } = comparison;
    super(`the copy is not the same, so it was removed: ${different.join(', ')}`);
    this.comparison = comparison;
  }
}

/** Copies a snapshot of a project, and compares both before the copy becomes visible. */
export async function copyProject(order: CopyOrder): Promise<Comparison> {
  const { from, to, project, as } = order;
  if (!(await from.findProject(project)))
    throw new CommandFailure(`there is no project '${project}' to copy`);
  const taken = new CommandFailure(
    `there is a project '${as}' already where it is to be copied to: delete that, or name another with --as`,
  );
  if (await to.findProject(as)) throw taken;
  // Reading it would upgrade it, which must not happen without a backup.
  if (await from.isOutdated(project)) throw outdated(project);
  return from.dumpProject(project, async (dump, found) => {
    let comparison: Comparison | undefined;
    const copied = watched(dump, order.copied);
    const made = await to.restoreProject({ ...found, id: as }, copied, async (restored) => {
      comparison = await compare(watched(dump, order.checked), watched(restored, order.checked));
      if (comparison.different.length > 0) throw new NotTheSame(comparison);
    });
    if (!made || !comparison) throw taken;
    return comparison;
  });
}

function outdated(project: string): CommandFailure {
  const why = `nothing was copied: project '${project}' was made by an earlier version of Vitrine`;
  return new CommandFailure(
    `${why}; serve it with this one and use it once, which backs it up and upgrades it`,
  );
}

/** Lets the event loop run between parts, so that a signal to stop is handled. */
function watched(dump: Dump, notify: (part: DumpPart) => void): Dump {
  async function* parts(): AsyncGenerator<DumpPart, void> {
    for await (const part of dump.parts()) {
      yield part;
      notify(part);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { parts };
}
