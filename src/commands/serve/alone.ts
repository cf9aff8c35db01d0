import type { BlockList } from 'node:net';
import { SignInLimit } from '../../access/sign-in-limit.ts';
import { createLog } from '../../log.ts';
import type { CommandContext } from '../command.ts';
import { answerRequests } from './answering.ts';
import { openData } from './data.ts';
import { greet } from './greeting.ts';
import { unusablePort } from './reasons.ts';
import { openStorage } from './storage.ts';

/** Serves by this process alone. */
export async function serveAlone(context: CommandContext, proxies: BlockList): Promise<number> {
  const { flags, err } = context;
  const log = createLog(err, flags.on('log-requests'));
  const data = await openData(context, () => openStorage(context, log));
  if (!data) return 1;
  const { catalog } = data;
  // From before anybody is told that it serves: whoever is may stop it at once.
  const stopped = new Promise<void>((stop) => context.onStop(stop));
  const answering = await answerRequests(context, {
    ...{ catalog, log, proxies, signInLimit: new SignInLimit() },
    ...{ port: flags.number('port'), shared: false },
  }).catch((error: unknown) => void err(unusablePort(flags, error)));
  if (answering) {
    await greet(context, catalog, { port: answering.port, workers: 1 });
    await stopped;
    await answering.stop();
  }
  await data.close();
  return answering ? 0 : 1;
}
