import type { ToldChange } from '../../catalog/change.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { CommandFailure } from '../command.ts';
import type { Target } from './target.ts';

/** What the server said no to. */
export class Refusal extends CommandFailure {
  readonly status: number;
  /** Seconds after which another try makes sense. */
  readonly retryAfter: number;

  constructor(status: number, message: string, retryAfter = 1) {
    super(message.replaceAll('?confirm=destructive', '--confirm-destructive'));
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

export interface Server {
  readonly url: string;
  readonly key: string;
}

export type Call = (verb: string, path: string, body?: Json) => Promise<JsonObject>;

/** The way to a server: gives back what stands under `result`, or throws a Refusal. */
export function callServer({ url, key }: Server): Call {
  return async (verb, path, body) => {
    const response = await reach(url, `${url}${path}`, {
      method: verb,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await readAnswer(url, response);
    if (answer.ok === true) return answer.result as JsonObject;
    const hint = response.status === 401 ? ': is VITRINE_ADMIN_KEY the one the server was started with?' : '';
    throw new Refusal(
      response.status,
      `${answer.error}${hint}`,
      Number(response.headers.get('retry-after') ?? 1) || 1,
    );
  };
}

async function reach(url: string, address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    const { cause = error } = error instanceof Error ? error : {};
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CommandFailure(`${url} can not be reached: ${reason || 'the connection was refused'}`);
  }
}

async function readAnswer(url: string, response: Response): Promise<JsonObject> {
  try {
    return (await response.json()) as JsonObject;
  } catch {
    throw new CommandFailure(`${url} does not answer as a Vitrine would (status ${response.status})`);
  }
}

export function serverTarget(server: Server): Target {
  const call = callServer(server);
  const projects = '/v1/_admin/projects';
  const collections = (project: string) => `${projects}/${encodeURIComponent(project)}/collections`;
  return {
    place: server.url,
    async findProject(id) {
      try {
        return await call('GET', `${projects}/${encodeURIComponent(id)}`);
      } catch (error) {
        if (error instanceof Refusal && error.status === 404) return undefined;
        throw error;
      }
    },
    createProject: async (body) => void (await call('POST', projects, body)),
    updateProject: async (id, body) => void (await call('PATCH', `${projects}/${id}`, body)),
    async listCollections(project) {
      const found: JsonObject[] = [];
      for (let page = 1; ; page++) {
        const result = await call('GET', `${collections(project)}?perPage=1000&page=${page}`);
        found.push(...(result.found as JsonObject[]));
        if (page >= Number(result.totalPages)) return found;
      }
    },
    createCollection: async (project, definition) =>
      void (await call('POST', collections(project), definition)),
    planChange: async (project, id, definition) =>
      (await call('PUT', `${collections(project)}/${id}?dryRun=true`, definition)) as unknown as ToldChange,
    changeCollection: async (project, id, definition, confirmed) =>
      void (await call('PUT', `${collections(project)}/${id}${confirm(confirmed)}`, definition)),
    deleteCollection: async (project, id, confirmed) =>
      void (await call('DELETE', `${collections(project)}/${id}${confirm(confirmed)}`)),
    countRecords: async (project, collection) =>
      Number((await call('GET', `/v1/${project}/${collection}?perPage=1`)).total),
    close: async () => {},
  };
}

const confirm = (confirmed: boolean) => (confirmed ? '?confirm=destructive' : '');
