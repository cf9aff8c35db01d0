import { Failure } from '../failure.ts';

/** Why what holds records is not deleted unless that is confirmed. `what`: "collection 'notes'". */
export function losesRecords(what: string, records: number): Failure {
  const lost = records === 1 ? 'its record' : `its ${records} records`;
  return new Failure(
    'conflict',
    `Deleting the ${what} would lose ${lost}: repeat with ?confirm=destructive to do it anyway`,
  );
}
