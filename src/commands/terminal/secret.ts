import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** A line from standard input. At a terminal the question is shown and what is typed is not. */
export async function readSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (stdin.isTTY) stderr.write(question);
  const lines = createInterface({ input: stdin, output: silent, terminal: stdin.isTTY === true });
  try {
    return await new Promise<string>((resolve) => {
      lines.once('line', resolve);
      lines.once('close', () => resolve(''));
    });
  } finally {
    lines.close();
    if (stdin.isTTY) stderr.write('\n');
  }
}
