import type { ChildProcess } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '../children.ts';
import type { NamedStorage } from '../storage.ts';

const main = join(dirname(fileURLToPath(import.meta.url)), '../../src/main.ts');

export interface Process {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly exit: Promise<number | null>;
}

/** The product's command line, on the runtime that runs the test, with no other VITRINE_ variable than these. */
export function vitrine(
  words: readonly string[],
  { environment = {}, input = '' }: { environment?: Record<string, string>; input?: string } = {},
): Process {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('VITRINE_'));
  const child = startChild(process.execPath, [main, ...words], {
    env: { ...Object.fromEntries(inherited), ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += part));
  child.stdin.end(input);
  return { child, output: () => output, exit: new Promise((resolve) => child.once('close', resolve)) };
}

/** Waits for what a process prints, in whole lines, for as long as it runs. */
export function printed({ child, output, exit }: Process, form: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const lines = output().slice(0, output().lastIndexOf('\n') + 1);
      const found = form.exec(lines)?.[1];
      if (found !== undefined) resolve(found);
    };
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', look);
    void exit.then((code) => reject(new Error(`${form} was not printed until exit ${code}: ${output()}`)));
    look();
  });
}

export const serving = (server: Process) => printed(server, /Vitrine is at (http:\S+)/);

/** Makes an administrator, or gives them a new password, in storage that may be in use. */
export async function makeAdministrator(
  { flags }: NamedStorage,
  email: string,
  password: string,
): Promise<void> {
  const made = vitrine(['admin', '--email', email, ...flags], {
    environment: { VITRINE_ADMIN_PASSWORD: password },
  });
  const code = await made.exit;
  if (code !== 0) throw new Error(`vitrine admin: ${code} ${made.output()}`);
}
