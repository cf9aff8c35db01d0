import { Worker } from 'node:worker_threads';
import type { BackupFacts, BackupFiles } from '../store/backup-files.ts';
import type { DumpPart } from '../store/dump.ts';
import { reviveError, type SentError } from '../store/engines/sqlite/writes/messages.ts';
import { threadFile } from './executable.ts';

/** A message to the thread, one call at a time. A dump is sent in parts, each after the previous one was processed. */
export type BackupAsk =
  | { readonly call: 'copy'; readonly from: string; readonly to: string }
  | { readonly call: 'begin'; readonly to: string }
  | { readonly call: 'add'; readonly part: DumpPart }
  | { readonly call: 'end' }
  | { readonly call: 'abandon' }
  | { readonly call: 'finish'; readonly path: string; readonly label: unknown }
  | { readonly call: 'check'; readonly path: string }
  | { readonly call: 'open'; readonly path: string }
  | { readonly call: 'next' }
  | { readonly call: 'restore'; readonly draft: string; readonly from: string };

export interface BackupReply {
  readonly answer?: unknown;
  readonly error?: SentError;
}

/** Handles backup files in a separate thread, which ends on `close`. */
export function startBackupThread(): BackupFiles {
  const thread = new Worker(threadFile('backup-thread'));
  thread.unref(); // must not keep a stopping process alive
  let waiting: { resolve(answer: unknown): void; reject(error: unknown): void } | undefined;
  let over: Error | undefined;
  const end = (error: Error) => {
    over ??= error;
    waiting?.reject(over);
    waiting = undefined;
  };
  thread.on('message', ({ answer, error }: BackupReply) => {
    const asked = waiting;
    waiting = undefined;
    if (error) asked?.reject(reviveError(error));
    else asked?.resolve(answer);
  });
  thread.on('error', (error) => end(error instanceof Error ? error : new Error(String(error))));
  thread.on('exit', () => end(new Error('the thread that makes backups has ended')));

  function ask(asked: BackupAsk): Promise<unknown> {
    if (over) return Promise.reject(over);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    waiting = { resolve, reject };
    thread.postMessage(asked);
    return promise;
  }

  return {
    copy: async (from, to) => void (await ask({ call: 'copy', from, to })),
    async write(to, dump) {
      await ask({ call: 'begin', to });
      try {
        for await (const part of dump.parts()) await ask({ call: 'add', part });
      } catch (error) {
        if (!over) await ask({ call: 'abandon' });
        throw error;
      }
      await ask({ call: 'end' });
    },
    finish: async (path, label) => (await ask({ call: 'finish', path, label })) as BackupFacts,
    check: async (path) => (await ask({ call: 'check', path })) as BackupFacts,
    async read(path, work) {
      const parts = async function* (): AsyncGenerator<DumpPart, void> {
        await ask({ call: 'open', path });
        for (;;) {
          const part = (await ask({ call: 'next' })) as DumpPart | undefined;
          if (!part) return;
          yield part;
        }
      };
      return work({ parts });
    },
    restore: async (draft, from) => void (await ask({ call: 'restore', draft, from })),
    async close() {
      end(new Error('the backup was stopped'));
      await thread.terminate();
    },
  };
}
