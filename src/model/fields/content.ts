import { textCells } from '../cell.ts';
import type { ContentField, FieldType } from '../field.ts';
import { lengthConstraints, stringBehaviour, stringCheck, verifyLengths } from './string.ts';

export const content: FieldType<ContentField> = {
  ...stringBehaviour,
  type: 'content',
  constraints: lengthConstraints,
  verify: verifyLengths,
  compile: (field) => stringCheck(field),
  uniqueAllowed: () => false,
  cells: () => textCells(60),
};
