import type { Collection } from '../model/collection.ts';
import type { Json } from '../model/json.ts';
import type {
  DeletePlan,
  DistinctPlan,
  InsertPlan,
  ListAnswer,
  ListPlan,
  UpdatePlan,
  ViewPlan,
} from './plans.ts';
import type { Schema } from './schema.ts';

/** One project's database. Each method is one atomic step; a record is its finished JSON text. */
export interface Store {
  list(plan: ListPlan): Promise<ListAnswer>;
  view(plan: ViewPlan): Promise<string | undefined>;
  distinct(plan: DistinctPlan): Promise<ReadonlyMap<string, readonly Json[]>>;
  insert(plan: InsertPlan): Promise<string>;
  /** undefined: there is no such record in scope. */
  update(plan: UpdatePlan): Promise<string | undefined>;
  delete(plan: DeletePlan): Promise<boolean>;

  schema(): Promise<Schema>;
  createCollection(definition: Collection): Promise<void>;
  close(): Promise<void>;
}

export interface ProjectRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
}

/** Where an instance keeps its projects. */
export interface Engine {
  listProjects(page: { limit: number; offset: number }): Promise<{ total: number; found: ProjectRecord[] }>;
  findProject(id: string): Promise<ProjectRecord | undefined>;
  /** false: the id is taken. */
  createProject(project: ProjectRecord): Promise<boolean>;
  openProject(id: string): Promise<Store>;
  close(): Promise<void>;
}
