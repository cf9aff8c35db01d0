import { many } from './many.ts';

/** Texts of one record and its fields. */
export const record = {
  panel: 'Record',
  new: 'New record',
  newIn: (collection: string) => `New in ${collection}`,
  views: 'View',
  form: 'Form',
  json: 'JSON',
  changedAt: 'Changed',
  previous: 'Previous record',
  next: 'Next record',
  duplicate: 'Duplicate',
  replaceTitle: 'Discard the new record?',
  replaceText: 'You have started a new record and not saved it. The duplicate would replace it.',
  replace: 'Discard it',
  copyId: 'Copy id',
  copyJson: 'Copy JSON',
  whoSees: 'Who can see it?',
  gone: 'This record no longer exists.',
  goneDraft: 'Your changes to it are not saved. Copy them, or discard them:',
  goneLabel: 'Your changes',
  changed: 'changed',
  resetField: (label: string) => `Revert the change to ${label}`,
  changes: (count: number) => many(count, 'unsaved change', 'unsaved changes'),
  noChanges: 'Saved',
  discard: 'Discard',
  discarded: (name: string) => `Discarded the changes to ${name}`,
  discardedNew: 'Discarded the new record',
  created: (name: string) => `Created ${name}`,
  saved: (name: string) => `Saved ${name}`,
  draftFrom: 'Your draft from',
  deleting: (name: string) => `Deleting ${name}`,
  deleteTitle: (name: string) => `Delete ${name}?`,
  nothingPoints: 'No other record points to it.',
  unknownPoints: 'Could not find out which records point to it.',
  tenSeconds: 'It is deleted after ten seconds; until then you can undo it.',
  restricted: "It can't be deleted while these point to it.",
  consequence: {
    deletes: (records: string, collection: string) => `${records} of ${collection} will be deleted with it`,
    clears: (records: string, collection: string) => `${records} of ${collection} will no longer point to it`,
    restricts: (records: string, collection: string) => `Prevented by ${records} of ${collection}`,
  },
} as const;

export const conflict = {
  title: 'Somebody else has changed this record',
  both: (count: number) =>
    `You have both changed ${many(count, 'field', 'fields')}. Choose which value to keep; the rest is merged.`,
  apart: 'You have changed different fields: saved together, nothing is lost.',
  field: 'Field',
  base: 'Before',
  mine: 'Mine',
  theirs: 'Theirs',
  takeTheirs: 'Discard mine',
  save: 'Save',
} as const;

export const json = {
  label: 'The record as JSON',
  unreadable: "The JSON can't be read yet",
  object: 'It must be one object: { "field": value }',
  twice: (key: string, line: number | undefined) =>
    `'${key}' is there twice${line === undefined ? '' : `, again on line ${line}`}: keep one of them.`,
} as const;

export const picker = {
  search: (name: string) => `Search ${name}`,
  choices: 'Matching records',
  create: 'Create a new one',
  createNamed: (name: string) => `Create “${name}”`,
} as const;

export const content = {
  preview: 'Preview',
  source: 'Source',
  whole: 'Open in the whole window',
  openAbove: 'Open in the window above.',
  length: (count: string) => `${count} characters`,
} as const;

export const rules = {
  minLength: (count: number) => `at least ${count} characters`,
  maxLength: (count: number) => `at most ${count} characters`,
  integer: 'a whole number',
  min: (limit: string) => `at least ${limit}`,
  max: (limit: string) => `at most ${limit}`,
  pattern: (pattern: string) => `matches ${pattern}`,
  unique: 'unique',
} as const;
