import { type Admin, createAdmin, type Definition, type Project, VitrineError } from '../client/admin.ts';
import { type Collection, createClient } from '../client/client.ts';
import type { UntypedCollection, UntypedProject } from '../client/types.ts';
import { noteOffline, noteOnline } from './offline.ts';
import { toast } from './parts/toasts.tsx';
import { askAhead, type QueryOptions, useQuery } from './queries.ts';
import { serverBase } from './router.ts';
import { expire, noteUse, sessionToken } from './session.ts';
import { texts } from './texts.ts';
import { type Viewer, viewerKey, viewerOf } from './viewer.ts';

export type Records = Collection<UntypedProject, UntypedCollection>;

/** How often the client sends a request, and how often each was sent: it passes the same object for every try. */
const mostTries = 3;
const tries = new WeakMap<RequestInit, number>();

/** All requests of the console go through here, so that it notices when the sign-in has ended or nobody answers. */
async function watchedFetch(url: string, init: RequestInit): Promise<Response> {
  const tried = (tries.get(init) ?? 0) + 1;
  tries.set(init, tried);
  let response: Response;
  try {
    // A deletion that is sent while the page is being left must still be completed.
    response = await fetch(url, init.method === 'DELETE' ? { ...init, keepalive: true } : init);
  } catch (error) {
    if (!init.signal?.aborted) noteOffline();
    throw error;
  }
  noteOnline();
  if ((response.status === 429 || response.status === 503) && tried < mostTries) tellWait(response);
  const sent = new Headers(init.headers).get('authorization')?.slice('Bearer '.length);
  if (sent !== undefined && sent === sessionToken()) {
    if (response.status === 401) expire(sent);
    else noteUse();
  }
  return response;
}

/** Seconds: nobody notices shorter waits, and the client does not wait for longer ones. */
const [shortestTold, longestWait] = [2, 30];
let toldUntil = 0;

/** The client retries after the `Retry-After` of the answer; without this note the console would seem to hang until then. */
function tellWait({ headers }: Response): void {
  const seconds = Number(headers.get('retry-after'));
  if (!(seconds >= shortestTold && seconds <= longestWait) || Date.now() < toldUntil) return;
  toldUntil = Date.now() + seconds * 1000;
  toast({ text: texts.waiting(seconds), time: seconds * 1000 });
}

export const admin: Admin = createAdmin(serverBase, { token: sessionToken, fetch: watchedFetch });

/** For a token that is not stored yet. */
export const adminWith = (token: string): Admin => createAdmin(serverBase, { token });

const handles = new Map<string, Records>();

/** The records of a collection. Always the same object, as it remembers the versions of what it has read. */
export function recordsOf(project: string, collection: string): Records {
  const viewer = viewerOf(project);
  const name = `${project}/${collection} ${viewerKey(project)}`;
  let known = handles.get(name);
  if (!known) {
    known = clientOf(project, viewer).collection(collection) as Records;
    handles.set(name, known);
  }
  return known;
}

/** With the token of whoever was chosen, so that nothing is done with the administrator's rights. */
function clientOf(project: string, viewer: Viewer) {
  if (viewer.kind === 'administrator') return admin.records(project);
  const token = viewer.kind === 'token' ? viewer.token : '';
  return createClient(serverBase, { project, token: () => token || undefined, fetch: watchedFetch });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export const isStatus = (error: unknown, status: number) =>
  error instanceof VitrineError && error.status === status;

/** Lists of management are short: they are loaded whole, in pages of a thousand. */
export async function everyPage<T>(
  page: (options: { page: number; perPage: number }) => Promise<{
    readonly found: readonly T[];
    readonly total: number;
  }>,
): Promise<T[]> {
  const all: T[] = [];
  for (let number = 1; ; number += 1) {
    const { found, total } = await page({ page: number, perPage: 1000 });
    all.push(...found);
    if (found.length === 0 || all.length >= total) return all;
  }
}

/**
 * As many items of a long list as are wanted, in pages of at most a thousand. Items that are added meanwhile shift the others;
 * none is returned twice.
 */
export async function firstOf<T extends { readonly _id: string }>(
  most: number,
  page: (options: { page: number; perPage: number }) => Promise<{
    readonly found: readonly T[];
    readonly total: number;
  }>,
): Promise<{ readonly found: readonly T[]; readonly total: number }> {
  const all = new Map<string, T>();
  for (let number = 1; ; number += 1) {
    const { found, total } = await page({ page: number, perPage: Math.min(most, 1000) });
    for (const one of found) all.set(one._id, one);
    if (found.length === 0 || all.size >= Math.min(most, total)) return { found: [...all.values()], total };
  }
}

/** How many to show next: twice as many, but at most a thousand more. */
export const moreThan = (most: number) => Math.min(most * 2, most + 1000);

const projectsQuery: QueryOptions<Project[]> = {
  key: ['projects'],
  ordered: true,
  load: () => everyPage((page) => admin.projects.list(page)),
};

export const useProjects = () => useQuery(projectsQuery);

export const collectionsKey = (project: string) => ['project', project, 'collections'] as const;

const collectionsQuery = (project: string): QueryOptions<Definition[]> => ({
  key: collectionsKey(project),
  ordered: true,
  load: () => everyPage((page) => admin.project(project).collections.list(page)),
});

/** Loads what the first screen needs in any case, while that is still being drawn. */
export function askForFirstScreen(project: string | undefined): void {
  if (sessionToken() === undefined) return;
  if (project !== undefined) askAhead(collectionsQuery(project));
  askAhead(projectsQuery);
}

/** Without a project there are none. */
export const useCollections = (project: string) =>
  useQuery({ ...collectionsQuery(project), enabled: project !== '' });

export const useDefinition = (project: string, collection: string) => {
  const { data, error, refetch } = useCollections(project);
  return { definition: data?.find(({ id }) => id === collection), all: data, error, refetch };
};

/** Lets the browser download a file by itself. It sends no header, so a ticket for this very path takes the place of the token. */
export async function downloadPath(path: string): Promise<void> {
  const { ticket } = await admin.ticket(path);
  const link = document.createElement('a');
  link.href = `${serverBase}${path}${path.includes('?') ? '&' : '?'}ticket=${ticket}`;
  link.download = '';
  link.click();
}
