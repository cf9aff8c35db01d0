import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { fieldsOf } from './definition.ts';
import type { CollectionChange, PlannedStep } from './plan.ts';

/** The changed rules of a field: `min 0 → 5, maxLength 80 → none`. */
export function fieldDetails({ from, to, steps }: CollectionChange, { field = '' }: PlannedStep): string {
  const renamed = steps.find((step) => step.kind === 'renameField' && step.field === field);
  const before = fieldsOf(from).get(renamed?.from ?? field) ?? {};
  const after = fieldsOf(to).get(field) ?? {};
  const covered = new Set(['type', 'unique', 'index', 'to', 'kind']); // by steps of their own
  return differences(before, after, '', covered).join(', ');
}

/** The changes of a collection's name and API: `api.access user → public`. */
export function settingDetails({ from, to }: CollectionChange): string {
  return differences(from, to, '', new Set(['id', 'fields', 'indexes'])).join(', ');
}

function differences(from: JsonObject, to: JsonObject, at: string, left: ReadonlySet<string>): string[] {
  const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((key) => !left.has(key));
  return keys.flatMap((key) => {
    const [before, after] = [from[key], to[key]];
    if (isDeepStrictEqual(before, after)) return [];
    const deeper = (value: Json | undefined) => value === undefined || isJsonObject(value);
    if (deeper(before) && deeper(after)) {
      const [old, changed] = [before ?? {}, after ?? {}] as [JsonObject, JsonObject];
      const within = differences(old, changed, `${at}${key}.`, new Set(['type']));
      if (within.length > 0) return within;
    }
    return [`${at}${key} ${shown(before)} → ${shown(after)}`];
  });
}

const shown = (value: Json | undefined) => (value === undefined ? 'none' : JSON.stringify(value));
