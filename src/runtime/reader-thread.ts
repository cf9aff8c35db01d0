import { workerData } from 'node:worker_threads';
import { ReaderFile } from '../store/engines/sqlite/readers/reader-file.ts';
import type { ListRead } from '../store/engines/sqlite/reads/sliced/list.ts';
import { sendError } from '../store/engines/sqlite/writes/messages.ts';
import type { WalkAnswer } from '../store/plans.ts';
import { limitAnswers } from '../store/sizes.ts';
import { loadRuntime } from './load-runtime.ts';
import type { ReaderAsk, ReaderReply } from './readers.ts';
import { beginThread } from './thread.ts';

/** A thread for reads whose cost grows with the collection, one after the other, so that they block no request. */
beginThread(async (port) => {
  const { sqlite } = await loadRuntime();
  const { timeout, largestAnswer } = workerData as { timeout: number; largestAnswer: number };
  limitAnswers(largestAnswer);
  const files = new Map<number, ReaderFile>();
  let last: Promise<unknown> = Promise.resolve();

  port.on('message', (ask: ReaderAsk | null) => {
    last = last.then(() => (ask === null ? port.close() : answer(ask)));
  });

  async function answer(ask: ReaderAsk): Promise<void> {
    const { n } = ask;
    let reply: ReaderReply;
    try {
      reply = { n, answer: await perform(ask) };
    } catch (error) {
      reply = { n, error: sendError(error) };
    }
    port.postMessage(reply, buffersOf(reply.answer));
  }

  /** Those of a large page are handed over, not copied. */
  function buffersOf(answer: unknown): ArrayBuffer[] {
    const { found, answer: list } = (answer ?? {}) as Partial<WalkAnswer & ListRead>;
    const records = found ?? list?.found ?? '';
    if (typeof records === 'string') return [];
    return records.flatMap((record) => (typeof record === 'string' ? [] : record.buffer));
  }

  async function perform(ask: ReaderAsk): Promise<unknown> {
    if (ask.kind === 'close') {
      files.get(ask.file)?.close();
      files.delete(ask.file);
      return undefined;
    }
    const file = files.get(ask.file) ?? new ReaderFile(sqlite, ask.path);
    files.set(ask.file, file);
    const stopped = new Int32Array(ask.stop);
    const stop = () =>
      Atomics.load(stopped, 0) !== 0 ? 'left' : Date.now() > ask.latest ? 'timeout' : undefined;
    return file.read(ask.kind, ask.plan as never, stop, timeout);
  }
});
