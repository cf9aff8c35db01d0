import { textCells } from '../cell.ts';
import type { FieldType, UrlField } from '../field.ts';
import { lengthConstraints, stringBehaviour, stringCheck, verifyLengths } from './string.ts';

const absolute = /^https?:\/\/[^\s/?#\\]+(?:[/?#]\S*)?$/i;

export const url: FieldType<UrlField> = {
  ...stringBehaviour,
  type: 'url',
  constraints: lengthConstraints,
  verify: verifyLengths,
  compile: (field) =>
    stringCheck(field, (value, report) => {
      if (!absolute.test(value) || !URL.canParse(value)) {
        report('must be an absolute http or https URL, such as https://example.com/page');
      }
    }),
  uniqueAllowed: () => true,
  cells: () => textCells(40),
};
