import { Query } from './query.ts';
import { readQueryString } from './query-string.ts';

/** Reads `?dryRun=true` and `?confirm=destructive`, if the call takes them. */
export function readOptions(
  queryString: string,
  known: readonly ('dryRun' | 'confirm')[],
): { dryRun: boolean; confirmed: boolean } {
  const query = new Query(readQueryString(queryString));
  const dryRun = known.includes('dryRun') ? query.take('dryRun') : undefined;
  const confirm = known.includes('confirm') ? query.take('confirm') : undefined;
  if (dryRun !== undefined && dryRun !== 'true' && dryRun !== 'false')
    query.fault('dryRun', 'must be true or false');
  if (confirm !== undefined && confirm !== 'destructive') query.fault('confirm', "must be 'destructive'");
  query.refuseRest(known);
  query.done();
  return { dryRun: dryRun === 'true', confirmed: confirm === 'destructive' };
}
