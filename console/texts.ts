/** All texts of the console, so that it can be translated: shared ones here, those of a group of screens in `texts/`. */

import { access, definition } from './texts/definition.ts';
import { many } from './texts/many.ts';
import { audit, backups, metrics } from './texts/operations.ts';
import { people } from './texts/people.ts';
import { collections, projects, tabs } from './texts/projects.ts';
import { conflict, content, json, picker, record, rules } from './texts/record.ts';
import { bulk, drafts, list, operators, viewAs } from './texts/records.ts';
import { settings } from './texts/settings.ts';
import { keyboard, nav, secondFactor, setup, signIn } from './texts/shell.ts';
import { api, imports, palette, relations } from './texts/tools.ts';
import { webhooks } from './texts/webhooks.ts';

export const texts = {
  product: 'Vitrine',
  version: (number: string) => `Vitrine ${number}`,
  loading: 'Loading',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  create: 'Create',
  remove: 'Delete',
  edit: 'Edit',
  copy: 'Copy',
  copied: 'Copied',
  notCopied: 'The browser could not copy it: select it and copy it yourself.',
  undo: 'Undo',
  stop: 'Stop',
  more: 'More',
  tryAgain: 'Try again',
  yes: 'Yes',
  no: 'No',
  unset: '(unset)',
  required: 'required',
  notRestored: 'Not restored: something else has been changed here since.',
  undone: (what: string) => `Undone: ${what}`,
  removeValue: (value: string) => `Remove ${value}`,
  tokensHint: 'Type, then Enter',
  utcTime: 'The same in UTC',
  utcForm: 'yyyy-mm-ddThh:mm:ssZ',
  records: (count: number) => many(count, 'record', 'records'),
  typeToConfirm: (text: string) => `Type ${text} to confirm`,
  offline:
    'The server is not responding. What you have typed is kept, and can be saved once the server is back.',
  waiting: (seconds: number) => `The server is busy: trying again in ${seconds} seconds.`,
  notLoaded:
    'This screen could not be loaded: the server is not responding, or has been updated. What you have typed is kept.',
  leaveTitle: 'Discard what you typed?',
  leaveText: 'It has not been saved, and will be lost.',
  leaveAction: 'Discard',
  skipToContent: 'Skip to content',
  notFound: 'There is nothing at this address',
  notFoundHint: 'It may have been renamed or deleted.',

  signIn,
  setup,
  nav,
  keyboard,
  secondFactor,
  projects,
  settings,
  collections,
  tabs,
  operators,
  list,
  bulk,
  viewAs,
  drafts,
  record,
  conflict,
  json,
  picker,
  content,
  rules,
  people,
  backups,
  metrics,
  audit,
  palette,
  relations,
  api,
  imports,
  definition,
  access,
  webhooks,
} as const;
