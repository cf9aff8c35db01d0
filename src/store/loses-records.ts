import { Failure } from '../failure.ts';

/** Refuses to delete something that holds records without a confirmation. `what`: "collection 'notes'". */
export function losesRecords(what: string, records: number): Failure {
  const lost = records === 1 ? 'its record' : `its ${records} records`;
  return new Failure(
    'conflict',
    `Deleting the ${what} would lose ${lost}: repeat with ?confirm=destructive to do it anyway`,
  );
}
