import type { Account, ManagedProject } from '../../client/admin.ts';
import { isEmail } from '../model/fields/email.ts';
import { apiFlags, withApi } from './api/open-api.ts';
import { type Command, type CommandContext, CommandFailure } from './command.ts';
import { readAction, UsageError } from './flags.ts';
import { table } from './terminal/table.ts';

export const users: Command = {
  summary: "Lists a project's users, makes them, disables them and gives them new passwords",
  usage: ' list|create|password|reset|disable|enable|delete --project ID [flags]',
  args: ['ACTION'],
  flags: {
    project: { kind: 'text', summary: 'The project' },
    email: { kind: 'text', summary: 'All but list: whose account' },
    name: { kind: 'text', summary: 'create: what they are called' },
    search: { kind: 'text', summary: 'list: those with this in their address or name' },
    'public-url': { kind: 'text', summary: 'reset: where people reach the server, before the link' },
    ...apiFlags,
  },
  notes: `The password for create and password is read from VITRINE_USER_PASSWORD, or from standard input. A new password and
disable end every session of the user. reset prints a link for a new password, good once, for an hour.`,
  run,
};

type Users = ManagedProject['users'];

const changes = ['create', 'password', 'reset', 'disable', 'enable', 'delete'] as const;
type Change = (typeof changes)[number];

function run(context: CommandContext): Promise<number> {
  const { flags, out } = context;
  const action = readAction(flags, ['list', ...changes]);
  const project = flags.text('project');
  if (project === '') throw new UsageError('--project is missing');
  return withApi(context, 'refuse', async ({ admin }) => {
    const managed = admin.project(project).users;
    if (action === 'list') await list(context, managed);
    else out(`${await perform(context, managed, action)}\n`);
    return 0;
  });
}

async function list({ flags, out }: CommandContext, managed: Users): Promise<void> {
  const search = flags.text('search');
  const row = ({ _id, email, name, disabled, _createdAt }: Account) => {
    return [_id, email, name, disabled ? 'disabled' : '', _createdAt];
  };
  for (let page = 1; ; page++) {
    const { found, totalPages } = await managed.list({ page, perPage: 1000, ...(search && { search }) });
    out(table(page === 1 ? ['_id', 'email', 'name', '', 'created'] : undefined, found.map(row)));
    if (page >= totalPages) return;
  }
}

/** Returns a sentence that says what was done. */
async function perform(context: CommandContext, managed: Users, action: Change): Promise<string> {
  const { flags } = context;
  const email = flags.text('email');
  if (email === '') throw new UsageError('--email is missing');
  if (!isEmail(email))
    throw new UsageError(`--email must be an email address, such as ann@example.com, not '${email}'`);
  switch (action) {
    case 'create': {
      await managed.create({ email, password: await readPassword(context), name: flags.text('name') });
      return `${email} can sign in`;
    }
    case 'password':
      await managed.update(await requireUser(managed, email), { password: await readPassword(context) });
      return `${email} has a new password, and is signed out everywhere`;
    case 'reset': {
      const { link } = await managed.resetLink(await requireUser(managed, email));
      return link.startsWith('/') ? `${baseOf(context)}${link}` : link;
    }
    case 'disable':
    case 'enable':
      await managed.update(await requireUser(managed, email), { disabled: action === 'disable' });
      return action === 'disable' ? `${email} is signed out and can't sign in` : `${email} can sign in again`;
    case 'delete':
      await managed.delete(await requireUser(managed, email));
      return `${email} is deleted`;
  }
}

/** The public URL of the server, or else the one of --url. */
function baseOf({ flags }: CommandContext): string {
  return (flags.text('public-url') || flags.text('url')).replace(/\/+$/, '');
}

async function requireUser(managed: Users, email: string): Promise<string> {
  const { found } = await managed.list({ email });
  if (!found[0]) throw new CommandFailure(`there is no user with the address ${email}`);
  return found[0]._id;
}

async function readPassword({ environment, input }: CommandContext): Promise<string> {
  return environment.VITRINE_USER_PASSWORD || (await input('Password: '));
}
