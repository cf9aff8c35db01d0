/** What the bench measures, in the order in which it runs: reads first, as writes make the data grow. */
export const workNames = [
  'view',
  'list',
  'filter',
  'include',
  'search',
  'list-new',
  'filter-new',
  'include-new',
  'search-new',
  'distinct',
  'user-view',
  'user-list',
  'memory',
  'busy',
  'hostile',
  'create',
  'update',
  'mix',
  'workers',
  'import',
  'projects',
] as const;

export type WorkName = (typeof workNames)[number];

/** They take minutes: not for a quick look, unless they are named. */
export const heavyWorks: ReadonlySet<WorkName> = new Set(['memory', 'workers', 'import', 'projects']);

export interface Write {
  readonly method: 'POST' | 'PATCH';
  readonly paths: readonly string[];
  /** `{n}` in it becomes a number of ten digits that is new each time. */
  readonly body: string;
}

/** The requests of one workload to one server. */
export interface Work {
  /** `{n}` in one becomes such a number too. */
  readonly reads: readonly string[];
  readonly write?: Write;
  /** Every how many requests one is a write. */
  readonly every?: number;
  readonly token?: string;
  /** Each takes seconds: fewer at a time, and for longer. */
  readonly slow?: boolean;
}

export interface Server {
  readonly name: string;
  readonly base: string;
  /** Of a process that the bench started. */
  readonly pid: number | undefined;
  /** Records a second with which it was filled, a thousand in a request. */
  readonly filled?: number | undefined;
  /** Nothing where the server has no such thing. */
  work(name: WorkName): Promise<Work | undefined>;
}

/** What was stored where: what the paths of the workloads are made of. */
export interface Stored {
  /** A sample of the records' ids, in random order. */
  readonly ids: readonly string[];
  readonly brandIds: readonly string[];
  readonly records: number;
}
