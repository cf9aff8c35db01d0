import { inSteps } from '../../../../awaitable.ts';
import { type Channel, Outbox } from '../../../../channel.ts';
import type { Progress } from '../../../schema-plans.ts';
import {
  type Ask,
  isBatchAsk,
  type Reply,
  readAsk,
  readBatchAsk,
  sendError,
  writeReply,
} from './messages.ts';
import type { ProjectWrites, Writers } from './writers.ts';

/**
 * Lets the other end of a channel write through `writers`. When it is gone, what it opened is closed. `finish`: completes what
 * it has begun with whole projects, and returns the tokens of what can't be completed.
 */
export function serveWriters(
  writers: Writers,
  channel: Channel,
  finish?: () => Promise<ReadonlySet<string>>,
): Promise<void> {
  // The replies of one commit are ready at about the same time, and are sent before the next commit begins.
  const outbox = new Outbox(channel, queueMicrotask);
  const open = new Map<number, ProjectWrites>();
  /** Paths of the files that the other end has sealed, by token. */
  const sealed = new Map<string, string>();
  /** Drafts that have not taken their place yet, by token. */
  const drafts = new Map<string, { readonly path: string; readonly made: Promise<void> }>();
  /** By the number of the request. */
  const watching = new Map<number, { readonly opened: number; end(): void }>();
  let last = 0;
  let gone = false;

  function endWatches(which: (opened: number, n: number) => boolean): void {
    for (const [n, { opened, end }] of watching) {
      if (!which(opened, n)) continue;
      watching.delete(n);
      end();
    }
  }

  /**
   * Comes after `finish`: nobody may write to a project that the register says is deleted, and a draft is needed if the
   * register says the project exists.
   */
  async function endProjects(): Promise<void> {
    if (sealed.size + drafts.size === 0) return;
    const left = await finish?.().catch(() => undefined); // the next start will do it
    for (const [token, path] of sealed) await writers.unseal(path, token);
    if (!left) return;
    for (const [token, { path, made }] of drafts) {
      if (left.has(token)) continue;
      await made.catch(() => {});
      await writers.discard(path, token);
    }
  }

  async function perform(ask: Ask, progress: Progress): Promise<unknown> {
    switch (ask.call) {
      case 'draft': {
        const made = writers.draft(ask.path, String(ask.token));
        drafts.set(String(ask.token), { path: ask.path, made });
        return made;
      }
      case 'place':
      case 'replace':
      case 'discard':
        await writers[ask.call](ask.path, String(ask.token));
        drafts.delete(String(ask.token));
        return undefined;
      case 'remove':
        return writers.remove(ask.path, String(ask.token));
      case 'seal': {
        const token = String(ask.token);
        const records = await writers.seal(ask.path, token);
        if (gone) return writers.unseal(ask.path, token);
        if (records === 0) sealed.set(token, ask.path);
        return records;
      }
      case 'unseal':
        sealed.delete(String(ask.token));
        return writers.unseal(ask.path, String(ask.token));
      case 'sweep':
        return writers.sweep(ask.path);
      case 'settled':
        return writers.settled();
      case 'open': {
        const project = await writers.open(ask.path);
        if (gone) return project.close();
        last += 1;
        open.set(last, project);
        return last;
      }
    }
    if (ask.call === 'unwatch') return endWatches((_, n) => n === Number(ask.plan));
    const project = open.get(ask.opened);
    if (!project) throw new Error('a write to a project that is not open');
    switch (ask.call) {
      case 'watch':
        return new Promise<void>((resolve) => {
          const end = project.watch(() => progress(0, 0));
          watching.set(ask.n, {
            opened: ask.opened,
            end() {
              end();
              resolve();
            },
          });
        });
      case 'close':
        open.delete(ask.opened);
        endWatches((opened) => opened === ask.opened);
        return project.close();
      default:
        return project.perform(ask.call, ask.plan as never, progress);
    }
  }

  function answer(ask: Ask): void {
    const { n } = ask;
    const reply = (said: Omit<Reply, 'n'>) => outbox.add(writeReply({ n, ...said }));
    perform(ask, (done, total) => reply({ progress: [done, total] })).then(
      (result) => reply({ answer: result }),
      (error: unknown) => reply({ error: sendError(error) }),
    );
  }

  return new Promise((resolve) => {
    channel.listen(
      (text) => {
        for (const line of text.split('\n')) {
          // Other writes go on while a batch is parsed.
          if (isBatchAsk(line)) void inSteps(readBatchAsk(line)).then(answer);
          else answer(readAsk(line));
        }
      },
      () => {
        gone = true;
        endWatches(() => true);
        const closing = [...open.values()].map((project) => project.close());
        closing.push(endProjects());
        open.clear();
        void Promise.allSettled(closing).then(() => resolve());
      },
    );
  });
}
