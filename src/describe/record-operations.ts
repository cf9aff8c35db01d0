import { type Method, methodLevel } from '../model/collection.ts';
import type { JsonObject } from '../model/json.ts';
import { type Audience, includePaths, type Usable } from './audience.ts';
import { mostPaths } from './collection-schemas.ts';
import { type DescribedCollection, methodOperations, type Verb } from './method-operations.ts';
import {
  distinctParameter,
  fieldsParameter,
  filterParameters,
  includeParameter,
  sortParameter,
} from './parameters.ts';
import { parameterRef } from './shared-parameters.ts';

/** The record operations of one collection in OpenAPI. */

export interface Described {
  readonly verb: Verb;
  /** The path below the project. */
  readonly path: string;
  readonly operation: JsonObject;
}

export interface CollectionDescription {
  readonly operations: readonly Described[];
  /** Components used only by this collection. */
  readonly parameters: Readonly<Record<string, JsonObject>>;
}

export function describeCollection(
  audience: Audience,
  usable: Usable,
  mostOperations: number,
): CollectionDescription {
  const { id } = usable.definition;
  const all = filterParameters(usable, usable.seesBinding || usable.distinctSeesBinding);
  const without = (binding: boolean) =>
    all.filter(({ name }) => binding || !/^_(?:owner|workspace)$/.test(name));
  const filters = without(usable.seesBinding);
  const distinctFields = new Set(usable.distinctFields);
  const ofDistinct = without(usable.distinctSeesBinding).filter(({ name }) => {
    return usable.distinctByAll || distinctFields.has(name);
  });
  const paths = includePaths(audience, usable, mostPaths + 1);
  const own = {
    [`${id}.sort`]: sortParameter(usable),
    [`${id}.fields`]: fieldsParameter(usable),
    ...(paths.size > 0 && {
      [`${id}.include`]: includeParameter([...paths.keys()].slice(0, mostPaths), paths.size <= mostPaths),
    }),
    [`${id}.distinctFields`]: distinctParameter(usable),
    ...Object.fromEntries(all.map(({ key, parameter }) => [key, parameter])),
  };
  const described: DescribedCollection = {
    usable,
    id,
    narrowing: ['_search', `${id}.sort`, `${id}.fields`].map(parameterRef),
    filters: filters.map(({ key }) => parameterRef(key)),
    distinctFilters: ofDistinct.map(({ key }) => parameterRef(key)),
    include: paths.size > 0 ? [parameterRef(`${id}.include`)] : [],
    binds: audience.binds,
    mostOperations,
  };
  const operations = [...usable.methods].map((method): Described => {
    const { verb, path, summary, ...rest } = methodOperations[method](described);
    const [operationId, security] = [`${id}.${method}`, securityOf(usable, method)];
    return {
      verb,
      path: `/${id}${path}`,
      operation: { operationId, summary, tags: [id], security, ...rest },
    };
  });
  return { operations, parameters: own };
}

/** A batch has no access level of its own; each of its operations has one. */
function securityOf({ definition, methods }: Usable, method: Method): JsonObject[] {
  const own: Method[] = method === 'batch' ? ['create', 'update', 'delete'] : [method];
  const open = own.some((one) => methods.has(one) && methodLevel(definition, one) === 'public');
  return security(open);
}

export function security(open: boolean): JsonObject[] {
  return [...(open ? [{}] : []), { user: [] }, { server: [] }];
}
