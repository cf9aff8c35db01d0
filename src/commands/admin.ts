import { hashPassword, passwordRule } from '../access/password.ts';
import { Form } from '../model/form.ts';
import { openSqliteEngine } from '../store/engines/sqlite/engine.ts';
import type { Command, CommandContext } from './command.ts';
import { UsageError } from './flags.ts';
import { databaseFlag, findDatabase, openDatabase } from './target/database.ts';

export const admin: Command = {
  summary: 'Makes an administrator, or gives them a new password',
  usage:
    ' --email ADDRESS [flags]\n\nThe password is read from VITRINE_ADMIN_PASSWORD, or from standard input',
  flags: {
    email: { kind: 'text', summary: 'Who administers' },
    data: { kind: 'text', summary: 'Where the data is kept', fallback: './data' },
    ...databaseFlag,
  },
  run,
};

async function run({ flags, runtime, environment, input, out }: CommandContext): Promise<number> {
  const password = environment.VITRINE_ADMIN_PASSWORD ?? (await input('Password: '));
  const form = new Form({ email: flags.text('email'), password }, ['email', 'password']);
  const email = form.email('email');
  form.text('password', passwordRule);
  try {
    form.done();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const address = findDatabase(flags);
  const engine =
    address === undefined
      ? openSqliteEngine(runtime.sqlite, flags.text('data'))
      : await openDatabase(address, { info() {} });
  await engine.administrators.save(email, await hashPassword(password));
  await engine.close();
  out(`${email} can sign in with POST /v1/_admin/login. Earlier sign-ins of theirs have ended.\n`);
  return 0;
}
