import type { Caller } from '../access/caller.ts';
import type { ProjectAccounts } from '../catalog/project.ts';
import type { JsonObject } from '../model/json.ts';
import { authenticate } from './authenticate.ts';
import { type BodyLimits, readBody } from './body.ts';
import type { Services } from './services.ts';

/**
 * The body of a request whose caller is known. A body may take its time: what users and keys may do is checked again by
 * the transaction that writes, and the sign-in of an administrator, which is not in the project, here.
 */
export async function readCallersBody(
  services: Services,
  request: Request,
  { project, caller }: { readonly project: ProjectAccounts; readonly caller: Caller },
  limits: BodyLimits,
): Promise<JsonObject> {
  const body = await readBody(request, limits);
  if (caller.kind === 'administrator') await authenticate(services, request.headers, project);
  return body;
}
