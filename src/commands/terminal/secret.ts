import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** Reads a line from standard input. At a terminal it shows the question, without echoing the input. */
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
