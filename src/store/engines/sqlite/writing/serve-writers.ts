import { type Channel, Outbox } from './channel.ts';
import { type Ask, type Reply, sendError } from './messages.ts';
import type { Progress, ProjectWrites, Writers } from './writers.ts';

/** Lets whoever is at the other end of a channel write by `writers`. What they opened is closed when they are gone. */
export function serveWriters(writers: Writers, channel: Channel): Promise<void> {
  const outbox = new Outbox<Reply>(channel);
  /** As often as it was opened: the last close closes it. */
  const open = new Map<string, ProjectWrites[]>();
  let gone = false;

  async function perform({ path, call, sent }: Ask, progress: Progress): Promise<unknown> {
    switch (call) {
      case 'create':
        return writers.create(path, Number(sent));
      case 'open': {
        const project = await writers.open(path);
        if (gone) return project.close();
        open.set(path, [...(open.get(path) ?? []), project]);
        return undefined;
      }
      case 'close':
        return open.get(path)?.pop()?.close();
      case 'remove':
        return writers.remove(path);
      default: {
        const [project] = open.get(path) ?? [];
        if (!project) throw new Error('a write to a project that is not open');
        return project.perform(call, sent as never, progress);
      }
    }
  }

  function answer(ask: Ask): void {
    const { n } = ask;
    perform(ask, (done, total) => outbox.add({ n, progress: [done, total] })).then(
      (result) => outbox.add({ n, answer: result }),
      (error: unknown) => outbox.add({ n, error: sendError(error) }),
    );
  }

  return new Promise((resolve) => {
    channel.listen(
      (text) => {
        for (const ask of JSON.parse(text) as Ask[]) answer(ask);
      },
      () => {
        gone = true;
        const closing = [...open.values()].flat().map((project) => project.close());
        open.clear();
        void Promise.allSettled(closing).then(() => resolve());
      },
    );
  });
}
