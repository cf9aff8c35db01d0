import type { ManagedProject } from '../../client/admin.ts';
import { instantRule, parseInstant } from '../model/instant.ts';
import { apiFlags, withApi } from './api/open-api.ts';
import type { Command, CommandContext } from './command.ts';
import { type FlagValues, readAction, UsageError } from './flags.ts';
import { table } from './terminal/table.ts';

export const keys: Command = {
  summary: "Lists, makes and deletes a project's server keys",
  usage: ' list|create|delete --project ID [flags]',
  args: ['ACTION'],
  flags: {
    project: { kind: 'text', summary: 'The project' },
    name: { kind: 'text', summary: 'create: what the key is for' },
    access: { kind: 'text', summary: "create: 'write' (unless given) or 'read'" },
    expires: { kind: 'text', summary: 'create: when it ends, such as 2027-01-31 (never, unless given)' },
    id: { kind: 'text', summary: 'delete: the _id of the key' },
    ...apiFlags,
  },
  notes: "A new key is printed once, on a line of its own, and can't be read again.",
  run,
};

function run(context: CommandContext): Promise<number> {
  const { flags, out, err } = context;
  const action = readAction(flags, ['list', 'create', 'delete']);
  const project = flags.text('project');
  if (project === '') throw new UsageError('--project is missing');
  return withApi(context, 'refuse', async ({ admin }) => {
    const managed = admin.project(project).keys;
    switch (action) {
      case 'list':
        await list(context, managed);
        return 0;
      case 'create': {
        if (flags.text('name') === '') throw new UsageError('--name is missing: say what the key is for');
        const { _id, key } = await managed.create(wanted(flags));
        out(`${key}\n`);
        err(`Made the key ${_id} of ${project}. It is shown this once.\n`);
        return 0;
      }
      case 'delete': {
        if (flags.text('id') === '') throw new UsageError("--id is missing: 'keys list' shows them");
        await managed.delete(flags.text('id'));
        out(`Deleted the key ${flags.text('id')} of ${project}: it ends with the next request\n`);
        return 0;
      }
    }
  });
}

async function list({ out }: CommandContext, managed: ManagedProject['keys']): Promise<void> {
  const head = ['_id', 'name', 'access', 'created', 'expires', 'last used'];
  for (let page = 1; ; page++) {
    const { found, totalPages } = await managed.list({ page, perPage: 1000 });
    const rows = found.map(({ _id, name, access, _createdAt, expiresAt, lastUsedAt }) => [
      ...[_id, name, access, _createdAt],
      ...[expiresAt ?? 'never', lastUsedAt ?? 'never'],
    ]);
    out(table(page === 1 ? head : undefined, rows));
    if (page >= totalPages) return;
  }
}

function wanted(flags: FlagValues): Parameters<ManagedProject['keys']['create']>[0] {
  const [access, expiresAt] = [flags.text('access'), flags.text('expires')];
  if (access !== '' && access !== 'read' && access !== 'write')
    throw new UsageError(`--access must be read or write, not '${access}'`);
  if (expiresAt !== '' && parseInstant(expiresAt) === undefined)
    throw new UsageError(`--expires ${instantRule}, not '${expiresAt}'`);
  return {
    name: flags.text('name'),
    ...(access !== '' && { access }),
    ...(expiresAt !== '' && { expiresAt }),
  };
}
