import { recordTextBy } from '../../../sql/records/record-text.ts';

export const recordText = recordTextBy('substr(json, 1, length(json) - 1)');
