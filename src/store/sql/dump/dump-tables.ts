import type { ColumnKind } from '../../../model/field.ts';
import type { AccountTable, DumpedRow } from '../../dump.ts';

export interface DumpTable {
  readonly name: AccountTable;
  /** The column that the rows are ordered by: a sequence number, which is assigned anew, or a unique text or positive number. */
  readonly order: 'seq' | 'id' | 'digest' | 'name' | 'account' | 'at' | 'n' | 'collection';
  readonly columns: readonly DumpColumn[];
}

export interface DumpColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

const text = (name: string): DumpColumn => ({ name, kind: 'text' });
const integer = (name: string): DumpColumn => ({ name, kind: 'integer' });

/** The tables that do not belong to collections. */
export const dumpTables: Readonly<Record<AccountTable, DumpTable>> = {
  secrets: { name: 'secrets', order: 'name', columns: [text('name'), text('value')] },
  users: {
    name: 'users',
    order: 'seq',
    columns: [
      ...['id', 'email', 'name', 'password'].map(text),
      ...['disabled', 'created', 'updated', 'verified'].map(integer),
      ...['profile', 'folded_name'].map(text),
    ],
  },
  workspaces: {
    name: 'workspaces',
    order: 'seq',
    columns: [...['id', 'name'].map(text), ...['created', 'updated'].map(integer)],
  },
  members: { name: 'members', order: 'seq', columns: ['workspace', 'user', 'role'].map(text) },
  sessions: {
    name: 'sessions',
    order: 'id',
    columns: [
      ...['id', 'user', 'workspace', 'address', 'agent', 'impersonator'].map(text),
      ...['expires', 'used', 'since'].map(integer),
    ],
  },
  refresh_tokens: {
    name: 'refresh_tokens',
    order: 'digest',
    columns: [...['digest', 'session'].map(text), ...['expires', 'spent'].map(integer)],
  },
  keys: {
    name: 'keys',
    order: 'seq',
    columns: [
      ...['id', 'name', 'digest', 'access'].map(text),
      ...['created', 'expires', 'used'].map(integer),
    ],
  },
  factors: {
    name: 'factors',
    order: 'account',
    columns: [...['account', 'secret', 'failures'].map(text), ...['confirmed', 'step'].map(integer)],
  },
  recovery_codes: { name: 'recovery_codes', order: 'digest', columns: ['digest', 'account'].map(text) },
  identities: {
    name: 'identities',
    order: 'id',
    columns: [...['id', 'account', 'provider', 'issuer', 'subject', 'email'].map(text), integer('created')],
  },
  outbox: {
    name: 'outbox',
    order: 'id',
    columns: [...['id', 'kind', 'email', 'subject'].map(text), ...['created', 'due', 'tries'].map(integer)],
  },
  mail_tokens: {
    name: 'mail_tokens',
    order: 'digest',
    columns: [
      ...['digest', 'purpose', 'user', 'address', 'target', 'password'].map(text),
      integer('expires'),
    ],
  },
  invitations: {
    name: 'invitations',
    order: 'id',
    columns: [
      ...['id', 'workspace', 'email', 'role', 'digest'].map(text),
      ...['created', 'expires'].map(integer),
    ],
  },
  departures: {
    name: 'departures',
    order: 'id',
    columns: [...['id', 'kind'].map(text), integer('created')],
  },
  // Without state and position: in another project a webhook is paused until somebody wants it there.
  webhooks: {
    name: 'webhooks',
    order: 'id',
    columns: [
      ...['id', 'name', 'url', 'collections', 'kinds', 'fields', 'secret', 'former'].map(text),
      ...['former_until', 'created', 'updated'].map(integer),
    ],
  },
  // They refer to keys of collections and ids of records, which stay the same.
  deletions: { name: 'deletions', order: 'at', columns: ['at', 'carrying'].map(integer) },
  doomed: {
    name: 'doomed',
    order: 'n',
    columns: [...['n', 'collection', 'stage', 'relation', 'last'].map(integer), text('id')],
  },
  touched: { name: 'touched', order: 'collection', columns: ['collection', 'changes'].map(integer) },
};

/** A value before that of the first row. */
export const startOf = ({ order }: DumpTable): string | number =>
  ['seq', 'at', 'n', 'collection'].includes(order) ? 0 : '';

/** In quotes: one of them is called `user`. */
export const columnNames = ({ columns }: Pick<DumpTable, 'columns'>) =>
  columns.map(({ name }) => `"${name}"`).join(', ');

/** Only the columns that the rows have: those of an older format may have fewer, and get the defaults. */
export function presentColumns(dumped: DumpTable, [first = {}]: readonly DumpedRow[]): DumpTable {
  return { ...dumped, columns: dumped.columns.filter(({ name }) => Object.hasOwn(first, name)) };
}
