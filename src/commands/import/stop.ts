import { CommandFailure } from '../command.ts';

/** Somebody wants the import to end. What was written is dealt with first. */
export class Stopped extends CommandFailure {
  constructor() {
    super('it was stopped');
  }
}

export function requireGoingOn(signal: AbortSignal): void {
  if (signal.aborted) throw new Stopped();
}
