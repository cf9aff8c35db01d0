import { textCells } from '../cell.ts';
import type { ContentField, FieldType } from '../field.ts';
import {
  fittingText,
  lengthConstraints,
  stringBehaviour,
  stringCheck,
  stringSchemas,
  verifyLengths,
} from './string.ts';

export const content: FieldType<ContentField> = {
  ...stringBehaviour,
  type: 'content',
  constraints: lengthConstraints,
  verify: verifyLengths,
  compile: (field) => stringCheck(field),
  schema: stringSchemas,
  uniqueAllowed: () => false,
  cells: () => textCells(60),
  example: (field) => fittingText(field, 'A few words about it.'),
};
