import { randomUUID } from 'node:crypto';
import { hashPassword, passwordRule } from '../access/password.ts';
import { actors, createAudit } from '../audit/audit.ts';
import { Form } from '../model/form.ts';
import type { Command, CommandContext } from './command.ts';
import { openEngine } from './engine/open-engine.ts';
import { placeFlags, readPlace } from './engine/place.ts';
import { UsageError } from './flags.ts';

export const admin: Command = {
  summary: 'Makes an administrator, or gives them a new password',
  usage:
    ' --email ADDRESS [flags]\n\nThe password is read from VITRINE_ADMIN_PASSWORD, or from standard input',
  flags: {
    email: { kind: 'text', summary: 'Who administers' },
    ...placeFlags,
  },
  run,
};

async function run({ flags, runtime, environment, input, out, err }: CommandContext): Promise<number> {
  const address = flags.text('email');
  if (address === '') throw new UsageError('--email is missing');
  const password = environment.VITRINE_ADMIN_PASSWORD || (await input('Password: '));
  const form = new Form({ email: address, password }, ['email', 'password']);
  const email = form.email('email');
  form.text('password', passwordRule);
  try {
    form.done();
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const { engine } = await openEngine(readPlace(flags), { runtime, make: true, shared: true });
  try {
    const hash = await hashPassword(password);
    const audit = createAudit(engine.audit, Date.now, { error: (message) => err(`${message}\n`) });
    const finish = await audit.begin({
      ...{ actor: actors.commandLine, action: 'administrator.save', project: null, target: email },
      ...{ address: '', requestId: randomUUID() },
    });
    await engine.administrators.save(email, hash);
    await finish({ outcome: 'done' });
  } finally {
    await engine.close(); // otherwise an error would leave the process running
  }
  out(`${email} can sign in to the console. Earlier sign-ins of theirs have ended.\n`);
  return 0;
}
