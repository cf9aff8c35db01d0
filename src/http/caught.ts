import { v7 as uuidv7 } from 'uuid';
import type { Awaitable } from '../awaitable.ts';
import { Failure } from '../failure.ts';
import { failure, unexpected } from './respond.ts';
import type { Handler, Incoming } from './route.ts';
import type { Services } from './services.ts';
import { traceOf } from './trace.ts';

export function handled(services: Services, handler: Handler, ask: Incoming): Awaitable<Response> {
  const failed = (error: unknown) => caught(services, error, { trace: traceOf(ask.request) });
  try {
    const response = handler(ask);
    return response instanceof Promise ? response.catch(failed) : response;
  } catch (error) {
    return failed(error);
  }
}

interface Cause {
  readonly requestId?: string;
  readonly trace?: string | undefined;
}

export function caught(
  { log, troubles }: Services,
  error: unknown,
  { requestId = uuidv7(), trace }: Cause = {},
): Response {
  if (error instanceof Failure) {
    if (error.detail.trouble !== undefined) troubles.note(error.detail.trouble);
    return failure(error);
  }
  log.error('a request failed', error, requestId, trace);
  return unexpected(requestId);
}
