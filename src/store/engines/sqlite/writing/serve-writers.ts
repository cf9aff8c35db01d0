import { type Channel, Outbox } from './channel.ts';
import { type Ask, type Reply, sendError } from './messages.ts';
import type { Progress, ProjectWrites, Writers } from './writers.ts';

/** Lets whoever is at the other end of a channel write by `writers`. What they opened is closed when they are gone. */
export function serveWriters(writers: Writers, channel: Channel): Promise<void> {
  const outbox = new Outbox<Reply>(channel);
  const open = new Map<number, ProjectWrites>();
  let last = 0;
  let gone = false;

  async function perform(ask: Ask, progress: Progress): Promise<unknown> {
    switch (ask.call) {
      case 'create':
        return writers.create(ask.path, Number(ask.at));
      case 'open': {
        const project = await writers.open(ask.path);
        if (gone) return project.close();
        last += 1;
        open.set(last, project);
        return last;
      }
      case 'remove':
        return writers.remove(ask.path, Number(ask.at));
    }
    const project = open.get(ask.opened);
    if (!project) throw new Error('a write to a project that is not open');
    if (ask.call !== 'close') return project.perform(ask.call, ask.sent as never, progress);
    open.delete(ask.opened);
    return project.close();
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
        const closing = [...open.values()].map((project) => project.close());
        open.clear();
        void Promise.allSettled(closing).then(() => resolve());
      },
    );
  });
}
