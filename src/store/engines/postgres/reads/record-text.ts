import { recordTextBy } from '../../../sql/records/record-text.ts';

export const recordText = recordTextBy('left(json, -1)');
