import { many } from './many.ts';

/** Texts of projects and their collections. */
export const projects = {
  title: 'Projects',
  intro: 'Each project has its own collections, users, workspaces and keys.',
  create: 'New project',
  none: 'No project yet',
  noneHint: 'A project holds collections of records. Create one, then describe your first collection.',
  id: 'Id',
  idHint: 'Part of every address of its API: letters a to z, digits, hyphens and underscores.',
  collections: (count: number) => many(count, 'collection', 'collections'),
  records: (count: string) => `${count} ${count === '1' ? 'record' : 'records'}`,
  name: 'Name',
  danger: 'Danger zone',
  deleteTitle: (name: string) => `Delete the project ${name}?`,
  deleteIntro: "Deletes the project with everything in it. This can't be undone.",
  deleteLoses: (collections: number, records: number) =>
    `${many(collections, 'collection', 'collections')} with ${many(records, 'record', 'records')}, all users, workspaces and keys will be lost for good.`,
  deleteAction: 'Delete project',
  deleted: (name: string) => `Deleted the project ${name}`,
  production: 'Production',
} as const;

export const collections = {
  title: 'Collections',
  none: 'No collection yet',
  noneHint: 'A collection describes its records: which fields they have and who may read and write them.',
  create: 'New collection',
  name: 'Name',
  fields: 'Fields',
  access: 'Access',
  records: 'Records',
  size: 'Size',
  publicWrites: 'anybody may write',
  rest: (count: string) => `${count} more: find them by name`,
  noMatch: 'No collection matches',
} as const;

export const tabs = {
  label: 'Collection',
  records: 'Records',
  definition: 'Definition',
  access: 'Access',
  import: 'Import',
  api: 'API',
} as const;
