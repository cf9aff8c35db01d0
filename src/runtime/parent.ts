import { Wire } from './wire.ts';

/** Whether the system spreads the connections to a port over the processes that listen on it. */
export const sharesPorts = process.platform === 'linux';

export interface Parent {
  readonly wire: Wire;
  /** Ends this process, with a code. */
  leave(code: number): void;
}

/** The process that started this one as a worker. A worker without its parent could not write: it ends at once. */
export function findParent(): Parent | undefined {
  if (!process.send || !process.connected) return undefined;
  let code = 1;
  process.once('disconnect', () => process.exit(code));
  return {
    wire: new Wire(process),
    leave(last) {
      code = last;
      process.disconnect();
    },
  };
}
