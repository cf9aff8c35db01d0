import {
  type ApiSettings,
  type Level,
  levels,
  type Method,
  type MethodSettings,
  methods,
} from './collection.ts';
import { isJsonObject, type Json } from './json.ts';
import { hints } from './nearest.ts';
import { type Fault, refuseUnknownKeys } from './unknown-keys.ts';

/** The keys of a method's settings: `export`, `changes` and `batch` do not have their own level. */
export function methodKeys(method: Method): readonly string[] {
  if (method === 'export' || method === 'changes' || method === 'batch') return ['enabled'];
  return method === 'distinct' ? ['enabled', 'access', 'fields'] : ['enabled', 'access'];
}

export function readApi(raw: Json, fields: ReadonlySet<string>, fault: Fault): ApiSettings {
  const none: ApiSettings = { access: 'user', methods: {} };
  if (!isJsonObject(raw)) {
    fault('api', 'must be an object with "access" and "methods"');
    return none;
  }
  refuseUnknownKeys(raw, ['access', 'methods'], 'api.', fault);
  const access = raw.access ?? 'user';
  if (!levels.includes(access as Level)) fault('api.access', `must be one of ${levels.join(', ')}`);
  const settings = raw.methods ?? {};
  if (!isJsonObject(settings)) {
    fault('api.methods', `must be an object with any of ${methods.join(', ')}`);
    return none;
  }
  refuseUnknownKeys(settings, methods, 'api.methods.', fault);
  const read: Partial<Record<Method, MethodSettings>> = {};
  for (const method of methods) {
    const own = settings[method];
    if (own !== undefined) read[method] = readMethod(method, own, fields, fault);
  }
  return { access: access as Level, methods: read };
}

function readMethod(method: Method, raw: Json, fields: ReadonlySet<string>, fault: Fault): MethodSettings {
  const at = `api.methods.${method}`;
  if (!isJsonObject(raw)) {
    fault(at, `must be an object with any of ${methodKeys(method).join(', ')}`);
    return {};
  }
  refuseUnknownKeys(raw, methodKeys(method), `${at}.`, fault);
  if (raw.enabled !== undefined && typeof raw.enabled !== 'boolean') {
    fault(`${at}.enabled`, 'must be true or false');
  }
  const accesses: readonly Json[] = ['inherit', ...levels];
  if (raw.access !== undefined && !accesses.includes(raw.access)) {
    fault(`${at}.access`, `must be one of ${accesses.join(', ')}`);
  }
  if (raw.fields !== undefined) readFieldNames(raw.fields, fields, `${at}.fields`, fault);
  return raw as MethodSettings;
}

function readFieldNames(raw: Json, fields: ReadonlySet<string>, at: string, fault: Fault): void {
  if (!Array.isArray(raw)) {
    fault(at, 'must be an array of field names');
    return;
  }
  const hint = hints(fields);
  raw.forEach((name: Json, position) => {
    const place = `${at}[${position}]`;
    if (typeof name !== 'string') fault(place, 'must be the name of a field');
    else if (!fields.has(name)) fault(place, `there is no field '${name}'${hint(name)}`);
  });
}
