import type { Awaitable } from '../awaitable.ts';
import type { Method } from '../model/collection.ts';
import type { Answer, Ask, FileAnswer, LargeAnswer } from './ask.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import { distinct } from './distinct.ts';
import { exportRecords } from './export.ts';
import { list } from './list.ts';
import { update } from './update.ts';
import { view } from './view.ts';

export interface Operation {
  readonly method: Method;
  readonly verb: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Relative to /v1/:project/:collection. */
  readonly path: '' | '/:id' | '/distinct' | '/export';
  run(ask: Ask): Awaitable<Answer | FileAnswer | LargeAnswer>;
}

/** All operations on records; a batch consists of several. Fixed paths come before `/:id`. */
export const operations: readonly Operation[] = [
  { method: 'viewAll', verb: 'GET', path: '', run: list },
  { method: 'create', verb: 'POST', path: '', run: create },
  { method: 'distinct', verb: 'GET', path: '/distinct', run: distinct },
  { method: 'export', verb: 'GET', path: '/export', run: exportRecords },
  { method: 'view', verb: 'GET', path: '/:id', run: view },
  { method: 'update', verb: 'PATCH', path: '/:id', run: update },
  { method: 'delete', verb: 'DELETE', path: '/:id', run: remove },
];

/** The operations that have their own path below the collection, by its name, which no `_id` can have. */
export const namedOperations: ReadonlyMap<string, Method> = new Map([
  ...operations.flatMap(({ path, method }) =>
    path === '' || path === '/:id' ? [] : [[path.slice(1), method] as const],
  ),
  ['batch', 'batch'],
]);
