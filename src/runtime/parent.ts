import { Wire } from './wire.ts';

/** Whether the system distributes the connections to a port among the processes that listen on it. */
export const sharesPorts = process.platform === 'linux';

export interface Parent {
  readonly wire: Wire;
  /** Ends this process with an exit code. */
  leave(code: number): void;
}

/** The process that started this one as a worker. If the parent ends, so does this process, as it could not write without it. */
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
