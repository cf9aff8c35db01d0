import { invalidToken } from '../access/authority.ts';
import { closePosition, tagOf } from '../changes/position.ts';
import { type ChangesPage, type PageRequest, readPage } from '../changes/read-page.ts';
import { changeJson } from '../changes/visible-change.ts';
import { waitForChange } from '../changes/wait-for-change.ts';
import type { Follower } from './follower.ts';
import { openSuccess } from './respond.ts';
import type { Services } from './services.ts';

/** Most reads of the log in a row that find nothing for the caller, because only others have changed something. */
const mostLooks = 10;

/** A page of changes; if there are none, it waits as long as the caller asked for. */
export async function changesPage(
  services: Services,
  follower: Follower,
  signal: AbortSignal,
): Promise<Response> {
  const { wanted } = follower;
  const page = await readOrWait(services, follower, signal);
  const tag = tagOf(wanted.caller);
  const changes = page.changes.map((change) => changeJson(change, tag)).join(',');
  const next = `${closePosition(page.cipher, page.next)}.${tag}`;
  const result = `{"next":"${next}","upToDate":${page.upToDate},"changes":[${changes}]}`;
  return openSuccess({ status: 200, result, headers: { 'cache-control': 'no-store' } });
}

async function readOrWait(
  services: Services,
  follower: Follower,
  signal: AbortSignal,
): Promise<Pick<ChangesPage, 'changes' | 'next' | 'cipher' | 'upToDate'>> {
  const { catalog, feeds, now } = services;
  const { wanted, authority, limit, wait, project } = follower;
  if (follower.after === 'now') {
    return { changes: [], ...(await feeds.newest(project.id)), upToDate: true };
  }
  const latest = performance.now() + wait;
  const request: PageRequest = {
    ...{ project: project.id, wanted, authority, limit },
    ...{ after: follower.after, now: now() },
  };
  // `settled`, so that a client that writes and then reads until `upToDate` finds its own writes.
  let page = await readPage(catalog, { ...request, settled: true });
  for (let looks = 1; ; looks++) {
    if (page.revoked) throw page.revoked;
    if (follower.isGood && !(await follower.isGood())) throw invalidToken();
    const most = Math.min(latest - performance.now(), follower.expires - now());
    const isLeft = signal.aborted || feeds.stopped.aborted;
    const over = isLeft || (most <= 0 && (page.upToDate || looks >= mostLooks));
    if (page.changes.length > 0 || over) return page;
    let after = page.next;
    if (page.upToDate) {
      const { following } = page;
      const waiting = { authority, position: after, following, most, signal };
      after = await waitForChange(feeds, project.id, waiting);
    }
    const asked = { ...request, after, now: now() };
    const found = await feeds.catchUp(
      () => readPage(catalog, asked),
      () => signal.aborted,
    );
    if (!found) return page; // the client has gone
    page = found;
  }
}
