import { Failure } from '../failure.ts';
import type { Ask, FileAnswer } from './ask.ts';

/** GET /v1/:project/:collection/export */
export async function exportRecords(_ask: Ask): Promise<FileAnswer> {
  throw new Failure('absent', 'There is no export yet');
}
