import { v7 as uuidv7 } from 'uuid';
import { keys } from '../../access/server-key.ts';
import type { AuditOutcome, AuditResult } from '../../store/audit.ts';
import { findActor } from '../authenticate.ts';
import { caught } from '../caught.ts';
import { addressOf } from '../client-address.ts';
import type { AuditedSignIn, Handler, Incoming, Verb } from '../route.ts';
import type { Services } from '../services.ts';
import { traceOf } from '../trace.ts';
import type { Action, ManagementRoute } from './access.ts';

/** Audits every verb of a route that changes something, under its own name or its path. */
export function audited(services: Services, route: ManagementRoute): ManagementRoute {
  const verbs = Object.entries(route.verbs) as [Verb, Handler][];
  const wrap = ([verb, handler]: [Verb, Handler]): [Verb, Handler] => {
    const action = route.actions?.[verb] ?? (verb === 'GET' ? 'none' : `${verb} ${route.path}`);
    return [verb, action === 'none' ? handler : auditedHandler(services, action, route.path, handler)];
  };
  return { ...route, verbs: Object.fromEntries(verbs.map(wrap)) };
}

function auditedHandler(services: Services, action: Action, path: string, handler: Handler): Handler {
  return async (incoming) => {
    if (isDryRun(incoming.query)) return handler(incoming);
    const entry = new Entry(services, typeof action === 'string' ? action : action.signIn, path, incoming);
    if (typeof action === 'string') {
      const actor = await findActor(services, incoming.request.headers, incoming.param('project'));
      if (actor === undefined) return handler(incoming); // the handler refuses it
      entry.by(actor);
      await entry.begin();
    }
    const response = await entry.answer(() => handler({ ...incoming, signIn: entry }));
    await entry.finish(response);
    return response;
  };
}

/** A dry run changes nothing, so it is not audited. A route that has none refuses the parameter. */
const isDryRun = (query: string) => /(^|&)dryRun=true(&|$)/.test(query);

class Entry implements AuditedSignIn {
  readonly #services: Services;
  readonly #action: string;
  readonly #incoming: Incoming;
  readonly #path: string;
  readonly #requestId = uuidv7();
  #actor: string | null = null;
  #finish: ((result: AuditResult) => Promise<void>) | undefined;

  constructor(services: Services, action: string, path: string, incoming: Incoming) {
    this.#services = services;
    this.#action = action;
    this.#path = path;
    this.#incoming = incoming;
  }

  by(actor: string): void {
    this.#actor = actor;
  }

  async begin(): Promise<void> {
    const project = withoutKey(this.#incoming.param('project'));
    this.#finish ??= await this.#services.audit.begin({
      actor: this.#actor,
      action: this.#action,
      project: project === '' ? null : project,
      target: this.#target(),
      address: addressOf(this.#services, this.#incoming),
      requestId: this.#requestId,
    });
  }

  /** The ids in the path, below the project. */
  #target(): string | null {
    const names = [...this.#path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    const target = names
      .filter((name) => name !== 'project' || this.#path.endsWith(':project'))
      .map((name) => withoutKey(this.#incoming.param(name)));
    return target.length === 0 ? null : target.join('/');
  }

  /** The response, also for an error. Log, audit and response have the same request id. */
  async answer(handle: () => ReturnType<Handler>): Promise<Response> {
    let response: Response;
    try {
      response = await handle();
    } catch (error) {
      response = caught(this.#services, error, {
        requestId: this.#requestId,
        trace: traceOf(this.#incoming.request),
      });
    }
    response.headers.set('x-request-id', this.#requestId);
    return response;
  }

  async finish(response: Response): Promise<void> {
    const outcome = outcomeOf(response);
    if (outcome !== undefined) await this.#finish?.({ outcome, ...(await made(response, this.#target())) });
  }
}

/** A server key that was sent by mistake instead of its id is still valid, so readers of the audit must not see it. */
const withoutKey = (part: string) => part.replace(keys, 'vk_…');

/** undefined: it is unknown whether it was done. */
function outcomeOf({ status, headers }: Response): AuditOutcome | undefined {
  if (status < 400) return 'done';
  return status === 500 || (status === 503 && !headers.has('retry-after')) ? undefined : 'refused';
}

const projects = new WeakMap<Response, string>();

/** Tells the audit the project if neither the response nor the path contains it. */
export function ofProject(response: Response, project: string): Response {
  projects.set(response, project);
  return response;
}

interface Made {
  readonly _id?: string;
  readonly id?: string;
  readonly user?: string;
  readonly project?: string;
  readonly administrator?: { readonly email?: string };
  readonly factorToken?: string;
  /** For a backup that is being restored: the target project. */
  readonly restore?: { readonly as: string };
}

/** The password was correct and the second factor is still missing, so nobody is signed in yet. */
const halfSignIn = 'administrator.login.begin';

/** What was created, or who signed in, read from the response. `within`: the ids in the path. */
async function made(response: Response, within: string | null): Promise<Omit<AuditResult, 'outcome'>> {
  const json = response.headers.get('content-type')?.startsWith('application/json');
  const data = projects.get(response);
  if (data !== undefined) return { project: data };
  if (response.status >= 300 || !json) return {};
  const { result } = (await response.clone().json()) as { readonly result: Made };
  const { _id, id, user, administrator, factorToken, restore } = result;
  const project = restore?.as ?? result.project ?? id;
  const thing = within === null ? (_id ?? id) : response.status === 201 ? (_id ?? user) : undefined;
  return {
    ...(thing !== undefined && { target: within === null ? thing : `${within}/${thing}` }),
    ...(project !== undefined && { project }),
    ...(administrator?.email !== undefined && { actor: administrator.email }),
    ...(factorToken !== undefined && { action: halfSignIn }),
  };
}
