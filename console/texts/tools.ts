/** Texts of the palette, the map of relations, the API page and the import. */
const recordsText = (count: string, one: string, more: string) =>
  count === '1' ? `1 record ${one}` : `${count} records ${more}`;
const rowsText = (count: string) => (count === '1' ? 'row' : 'rows');

export const palette = {
  title: 'Go to',
  placeholder: 'A collection, a screen, or the id of a record',
  results: 'Matches',
  none: 'Nothing matches',
  recordIn: (collection: string) => `Record in ${collection}`,
  project: 'Project',
  collection: 'Collection',
  screen: 'Screen',
  newRecord: (collection: string) => `New record in ${collection}`,
  definition: (collection: string) => `Definition of ${collection}`,
} as const;

export const relations = {
  title: 'Relations',
  intro: 'Which collection points to which. A line goes from the field to what it points to.',
  none: 'No collection points to another yet',
  noneHint: 'Add a field of the type relation to a definition.',
  map: 'Map of relations',
  more: (count: number) => `and ${count} more`,
  asList: 'The same as a list',
  line: (from: string, field: string, to: string, many: boolean) =>
    `${from}.${field} points to ${many ? 'several of ' : ''}${to}`,
} as const;

export const api = {
  title: (name: string) => `API of ${name}`,
  intro:
    'Requests as code to copy; View All and Distinct can be tried here. The documentation also has Export, Batch and Changes.',
  docs: 'Documentation',
  openapi: 'OpenAPI',
  method: 'Request',
  query: 'Query',
  queryHint: 'Filters, sort, search: price>=10&sort=-price',
  language: 'Language',
  send: 'Send',
  asYou: 'It is sent as the administrator: other callers may see less.',
  answer: (status: number, ms: number) => `${status} in ${ms} ms`,
  answerLabel: 'Answer',
  code: 'Code',
} as const;

export const imports = {
  title: (name: string) => `Import into ${name}`,
  intro: 'CSV, XLSX or JSON. Every row is checked before the first one is written.',
  file: 'File',
  fileHint:
    'Drop it here or choose it: CSV or XLSX with names in the first line, a JSON array, or one JSON object per line.',
  separator: 'Separator',
  separators: { ',': 'comma', ';': 'semicolon', '\t': 'tab' },
  unreadable: "This file can't be read: ",
  noRows: 'There are no rows in this file.',
  notUtf8: "it is not UTF-8. Save it as 'CSV UTF-8', or as XLSX, and choose it again.",
  repeated: (column: string) =>
    `${column === '' ? 'two columns have no name' : `two columns are called '${column}'`}. Give each its own name.`,
  columns: 'Columns',
  column: 'Column of the file',
  sample: 'First value',
  field: 'Field',
  ignore: '(leave out)',
  sameField: 'A column above is already used for this field: choose another field, or leave this column out.',
  restore: "Take off the ' that an export puts before texts such as =1+2, so that no spreadsheet runs them",
  rows: (count: string) => `${count} ${rowsText(count)}`,
  check: 'Check all rows',
  found: 'What the check found',
  good: (count: string) => `${count} ${rowsText(count)} can be imported.`,
  bad: (count: string) => `${count} ${rowsText(count)} can't:`,
  line: 'Row',
  fault: 'What is wrong',
  downloadFaults: 'Download all errors',
  start: (count: string) => `Import ${count} ${rowsText(count)}`,
  startGood: (count: string) => `Import the ${count} good ${rowsText(count)} only`,
  running: (done: string, total: string) => `${done} of ${total} written`,
  done: (count: string) => `Done: ${recordsText(count, 'is', 'are')} imported.`,
  undoing: 'What was written so far is being deleted again.',
  undone: 'Nothing was imported: what was written so far has been deleted again.',
  refused: (why: string) =>
    `Nothing was imported: the server refused it, and what was written so far has been deleted again. ${why}`,
  refusedRows: (count: string) =>
    `Nothing was imported: the server refused ${count} ${rowsText(count)}, and what was written so far has been deleted again. Below is why; the other rows can still be imported.`,
  stopped: (count: string) =>
    `Stopped. ${recordsText(count, 'was written, and stays', 'were written, and stay')}.`,
  broken: (count: string) =>
    `The server could not be reached. At least ${recordsText(count, 'was written, and stays', 'were written, and stay')}. It can continue where it stopped.`,
  goOn: 'Continue',
  goOnFrom: (row: string) => `Continue after ${row} rows`,
  takeBack: 'Delete what was written',
  kept: (file: string, written: string, total: string) =>
    `The import of ${file} is not finished: ${written} of ${total} rows are written. Choose the same file again to continue.`,
  forget: 'Discard it',
  isTheSame: (written: string) => `This is the file from before: ${written} of its rows are written already.`,
  leftBehind: (count: string) =>
    `${recordsText(count, 'was', 'were')} written and could not be deleted again.`,
  related: 'A relation can be given by the id of the other record or by its name.',
  noRelated: (value: string, collection: string) => `no record of ${collection} is called '${value}'`,
  severalRelated: (value: string, collection: string) =>
    `several records of ${collection} are called '${value}', so give the id`,
  sameAs: (row: string) => `is the same as in row ${row}`,
  taken: (value: string) => `${value} is already taken`,
  again: 'Import another file',
  show: 'Show the records',
} as const;
